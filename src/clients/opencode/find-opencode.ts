import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ClientNotInstalledError } from "../../contracts/index.ts";

/** Where to look for OpenCode's program. */
export interface FindOpenCodeOptions {
  /** Takes this one or fails. */
  readonly binaryPath?: string;
  /** Its `PATH` is searched last. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder with a `node_modules` of its own, which `atomic install` fills; searched before the PATH. */
  readonly vendorDirectory?: string;
  /** The file whose `node_modules` are searched. @default this module */
  readonly resolveFrom?: string;
}

const REMEDY = 'Run "atomic install opencode".';

/** Makes a client of OpenCode's server. */
export type CreateOpenCodeSdk = typeof import("@opencode-ai/sdk/v2/client").createOpencodeClient;

/**
 * Finds OpenCode's program: the given path, else the platform package installed next to Atomic or in `vendorDirectory`,
 * else `opencode` on the PATH. The package's own `.bin/opencode` is never taken from `node_modules`, because an install without scripts leaves
 * an error message there instead of the program.
 * @throws ClientNotInstalledError
 */
export async function findOpenCode(options: FindOpenCodeOptions): Promise<string> {
  const { binaryPath, env, vendorDirectory, resolveFrom = import.meta.url } = options;
  if (binaryPath !== undefined) {
    if (await isExecutable(binaryPath)) return binaryPath;
    throw new ClientNotInstalledError("opencode", `the program "${binaryPath}"`, { remedy: REMEDY });
  }
  const origins = [resolveFrom, ...(vendorDirectory === undefined ? [] : [path.join(vendorDirectory, "package.json")])];
  for (const candidate of [...origins.flatMap(packagedBinaries), ...binariesOnPath(env)]) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw new ClientNotInstalledError("opencode", "its program", { remedy: REMEDY });
}

/**
 * Loads OpenCode's SDK: the one installed next to Atomic, else the one in `vendorDirectory`.
 * @throws ClientNotInstalledError
 */
export async function loadOpenCodeSdk({
  vendorDirectory,
}: Pick<FindOpenCodeOptions, "vendorDirectory">): Promise<CreateOpenCodeSdk> {
  try {
    return (await import("@opencode-ai/sdk/v2/client")).createOpencodeClient;
  } catch (cause) {
    const file = path.join(vendorDirectory ?? "", "node_modules", "@opencode-ai", "sdk", "dist", "v2", "client.js");
    if (vendorDirectory === undefined || !(await isReadable(file))) {
      throw new ClientNotInstalledError("opencode", "the package @opencode-ai/sdk", { cause, remedy: REMEDY });
    }
    // The same package in the version that `atomic install` pins, so it exports the same.
    const sdk = (await import(pathToFileURL(file).href)) as typeof import("@opencode-ai/sdk/v2/client");
    return sdk.createOpencodeClient;
  }
}

/**
 * The package names to try, best first. Processors without AVX2 need `-baseline`, systems without glibc `-musl`; npm
 * installs only what fits the system, so the order matters merely where several fit.
 */
function packagedBinaries(resolveFrom: string): readonly string[] {
  const system = platform() === "win32" ? "windows" : platform();
  const names = ["", "-baseline", "-musl", "-baseline-musl"].map((variant) => `opencode-${system}-${arch()}${variant}`);
  const file = platform() === "win32" ? "opencode.exe" : "opencode";
  const require = createRequire(resolveFrom);
  return names.flatMap((name) => {
    try {
      return [path.join(path.dirname(require.resolve(`${name}/package.json`)), "bin", file)];
    } catch {
      return [];
    }
  });
}

function binariesOnPath(env: Readonly<Record<string, string>>): readonly string[] {
  const file = platform() === "win32" ? "opencode.exe" : "opencode";
  const isOwnBin = (folder: string) => path.resolve(folder).endsWith(path.join("node_modules", ".bin"));
  const folders = (env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !isOwnBin(folder));
  return folders.map((folder) => path.join(folder, file));
}

function isExecutable(file: string): Promise<boolean> {
  return hasAccess(file, constants.X_OK);
}

function isReadable(file: string): Promise<boolean> {
  return hasAccess(file, constants.R_OK);
}

async function hasAccess(file: string, mode: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}
