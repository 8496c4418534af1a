import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { AtomicError, ClientNotInstalledError, messageOf } from "../../contracts/index.ts";
import { AGENT_TYPE } from "./claude-errors.ts";

/** Where to look for Claude Code's program. */
export interface FindClaudeOptions {
  /** Takes this one or fails. */
  readonly binaryPath?: string;
  /** Its `PATH` is searched last. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder whose `node_modules` are searched before the PATH. */
  readonly vendorDirectory?: string;
  /** The file whose `node_modules` are searched first. @default this module */
  readonly resolveFrom?: string;
}

/** The oldest Claude Code that takes its MCP servers without showing their secrets on the command line. */
export const OLDEST_CLAUDE_VERSION = "2.1.261";

const SDK_PACKAGE = "@anthropic-ai/claude-agent-sdk";
const REMEDY = 'Run "atomic install claude".';

/** The user's Claude Code is older than what Atomic can work with. */
export class ClaudeTooOldError extends AtomicError {
  constructor(
    readonly binaryPath: string,
    readonly version: string,
  ) {
    super(
      "CLAUDE_TOO_OLD",
      `The program "${binaryPath}" is Claude Code ${version}, and Atomic needs ${OLDEST_CLAUDE_VERSION} or newer. Run "claude update", or "atomic install claude".`,
    );
  }
}

/**
 * Finds Claude Code's program: the given path, else the platform package installed next to Atomic, else the one in the
 * vendor directory, else `claude` on the PATH.
 * @throws ClientNotInstalledError, ClaudeTooOldError
 */
export async function findClaude(options: FindClaudeOptions): Promise<string> {
  const { binaryPath, env, vendorDirectory, resolveFrom = import.meta.url } = options;
  if (binaryPath !== undefined) {
    if (!(await isExecutable(binaryPath))) {
      throw new ClientNotInstalledError(AGENT_TYPE, `the program "${binaryPath}"`, { remedy: REMEDY });
    }
    return checkVersion(binaryPath, env);
  }
  for (const candidate of [resolveFrom, ...vendorModule(vendorDirectory)].flatMap(packagedBinaries)) {
    if (await isExecutable(candidate)) return candidate;
  }
  for (const candidate of binariesOnPath(env)) {
    if (await isExecutable(candidate)) return checkVersion(candidate, env);
  }
  throw new ClientNotInstalledError(AGENT_TYPE, "its program", { remedy: REMEDY });
}

/** Imports the SDK, from next to Atomic or from the vendor directory. @throws ClientNotInstalledError */
export async function loadClaudeSdk(
  vendorDirectory: string | undefined,
): Promise<typeof import("@anthropic-ai/claude-agent-sdk")> {
  try {
    return await import("@anthropic-ai/claude-agent-sdk");
  } catch (cause) {
    for (const module of vendorModule(vendorDirectory)) {
      const file = resolved(module, SDK_PACKAGE);
      if (file !== undefined) return import(pathToFileURL(file).href);
    }
    throw new ClientNotInstalledError(AGENT_TYPE, `the package "${SDK_PACKAGE}"`, { cause, remedy: REMEDY });
  }
}

/** A module that need not exist: what matters is where it would lie. */
function vendorModule(vendorDirectory: string | undefined): readonly string[] {
  return vendorDirectory === undefined ? [] : [path.join(vendorDirectory, "resolve.js")];
}

/** npm installs only what fits the system, so the order matters merely where several fit. */
function packagedBinaries(resolveFrom: string): readonly string[] {
  const file = platform() === "win32" ? "claude.exe" : "claude";
  // The platform's package may lie below the SDK's own node_modules.
  const sdk = resolved(resolveFrom, SDK_PACKAGE);
  const places = sdk === undefined ? [resolveFrom] : [resolveFrom, sdk];
  return ["", "-musl"].flatMap((variant) =>
    places.flatMap((place) => {
      const manifest = resolved(place, `${SDK_PACKAGE}-${platform()}-${arch()}${variant}/package.json`);
      return manifest === undefined ? [] : [path.join(path.dirname(manifest), file)];
    }),
  );
}

function resolved(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

function binariesOnPath(env: Readonly<Record<string, string>>): readonly string[] {
  const file = platform() === "win32" ? "claude.exe" : "claude";
  const folders = (env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, file));
}

/** A folder may be searched like a program may be run, but it is none. */
async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** "2.1.330 (Claude Code)". A program that tells no version is taken at its word when it starts. */
async function checkVersion(binaryPath: string, env: Readonly<Record<string, string>>): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(binaryPath, ["--version"], { env: { ...env }, timeout: 10_000 });
    const version = /^\d+\.\d+\.\d+/.exec(stdout.trim())?.[0];
    if (version !== undefined && isOlder(version, OLDEST_CLAUDE_VERSION))
      throw new ClaudeTooOldError(binaryPath, version);
    return binaryPath;
  } catch (cause) {
    if (cause instanceof ClaudeTooOldError) throw cause;
    const missing = `a working "${binaryPath}" (${messageOf(cause)})`;
    throw new ClientNotInstalledError(AGENT_TYPE, missing, { cause, remedy: REMEDY });
  }
}

function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split(".").map(Number));
  for (const [index, wanted] of (right ?? []).entries()) {
    const found = left?.[index] ?? 0;
    if (found !== wanted) return found < wanted;
  }
  return false;
}
