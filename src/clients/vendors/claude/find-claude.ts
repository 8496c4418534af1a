import { arch, platform } from "node:os";
import path from "node:path";
import { AgentTooOldError, ClientNotInstalledError, messageOf } from "../../../contracts/index.ts";
import { firstExecutable, isExecutable, programFile, programsOnPath } from "../../../system/index.ts";
import {
  importPackage,
  isOlderVersion,
  type PackagePlaces,
  packageOrigins,
  programVersion,
  resolvePackage,
} from "../../process/find-program.ts";
import { AGENT_TYPE } from "./claude-errors.ts";

/** Where to look for Claude Code's program. */
export interface FindClaudeOptions extends PackagePlaces {
  /** The program to use. No other place is searched. */
  readonly binaryPath?: string;
  /** Its `PATH` is searched last. */
  readonly env: Readonly<Record<string, string>>;
}

/** The oldest Claude Code that can read its MCP servers without exposing their secrets on the command line. */
export const OLDEST_CLAUDE_VERSION = "2.1.261";

const SDK_PACKAGE = "@anthropic-ai/claude-agent-sdk";
const REMEDY = 'Run "atomic install claude".';

/**
 * Finds Claude Code's program: the given path, else the platform package installed next to Atomic, else the one in the
 * vendor directory, else `claude` on the PATH.
 * @throws ClientNotInstalledError, AgentTooOldError
 */
export async function findClaude(options: FindClaudeOptions): Promise<string> {
  const { binaryPath, env } = options;
  if (binaryPath !== undefined) {
    if (!(await isExecutable(binaryPath))) {
      throw new ClientNotInstalledError(AGENT_TYPE, `the program "${binaryPath}"`, { remedy: REMEDY });
    }
    return checkVersion(binaryPath, env);
  }
  const packaged = await firstExecutable(packageOrigins(options).flatMap(packagedBinaries));
  if (packaged !== undefined) return packaged;
  const own = await firstExecutable(programsOnPath("claude", env));
  if (own !== undefined) return checkVersion(own, env);
  throw new ClientNotInstalledError(AGENT_TYPE, "its program", { remedy: REMEDY });
}

/** Imports the SDK, from next to Atomic or from the vendor's folder. @throws ClientNotInstalledError */
export async function loadClaudeSdk(places: PackagePlaces): Promise<typeof import("@anthropic-ai/claude-agent-sdk")> {
  try {
    return await importPackage({ ...places, name: SDK_PACKAGE, load: () => import("@anthropic-ai/claude-agent-sdk") });
  } catch (cause) {
    throw new ClientNotInstalledError(AGENT_TYPE, `the package "${SDK_PACKAGE}"`, { cause, remedy: REMEDY });
  }
}

/** npm installs only packages that fit the system, so the order matters only where several fit. */
function packagedBinaries(resolveFrom: string): readonly string[] {
  // The platform's package may be in the SDK's own node_modules.
  const sdk = resolvePackage(resolveFrom, SDK_PACKAGE);
  const places = sdk === undefined ? [resolveFrom] : [resolveFrom, sdk];
  return ["", "-musl"].flatMap((variant) =>
    places.flatMap((place) => {
      const manifest = resolvePackage(place, `${SDK_PACKAGE}-${platform()}-${arch()}${variant}/package.json`);
      return manifest === undefined ? [] : [path.join(path.dirname(manifest), programFile("claude"))];
    }),
  );
}

/** Rejects a version that is too old. A program that starts but prints no version is accepted. */
async function checkVersion(binaryPath: string, env: Readonly<Record<string, string>>): Promise<string> {
  const found = await programVersion(binaryPath, env).catch((cause: unknown) => {
    const missing = `a working "${binaryPath}" (${messageOf(cause)})`;
    throw new ClientNotInstalledError(AGENT_TYPE, missing, { cause, remedy: REMEDY });
  });
  if (found !== undefined && isOlderVersion(found, OLDEST_CLAUDE_VERSION)) {
    throw new AgentTooOldError(AGENT_TYPE, binaryPath, { found, oldest: OLDEST_CLAUDE_VERSION });
  }
  return binaryPath;
}
