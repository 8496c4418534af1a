import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ClientNotInstalledError } from "../../contracts/index.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";

/** Where to look for Copilot. */
export interface FindCopilotOptions {
  /** Takes this program or fails. */
  readonly binaryPath?: string;
  /** Its `PATH` is searched last. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder with a `node_modules` of its own, searched before the PATH. */
  readonly vendorDirectory?: string;
  /** The file whose `node_modules` are searched. @default this module */
  readonly resolveFrom?: string;
}

const SDK_PACKAGE = "@github/copilot-sdk";
const REMEDY = 'Run "atomic install copilot".';

/**
 * Finds the program that runs Copilot's sessions: the given path, else the SDK's own runtime beside Atomic or in
 * `vendorDirectory`, else `copilot` on the PATH.
 * @throws ClientNotInstalledError
 */
export async function findCopilot(options: FindCopilotOptions): Promise<string> {
  const { binaryPath, env } = options;
  if (binaryPath !== undefined) {
    if (await isExecutable(binaryPath)) return binaryPath;
    throw new ClientNotInstalledError(AGENT_TYPE, `the program "${binaryPath}"`, { remedy: REMEDY });
  }
  for (const candidate of [...startingPoints(options).flatMap(packagedRuntimes), ...programsOnPath(env)]) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw new ClientNotInstalledError(AGENT_TYPE, "its program", { remedy: REMEDY });
}

/**
 * Loads the SDK that lies beside Atomic or in `vendorDirectory`.
 * @throws ClientNotInstalledError
 */
export async function loadCopilotSdk(
  options: Pick<FindCopilotOptions, "vendorDirectory">,
): Promise<typeof import("@github/copilot-sdk")> {
  const { vendorDirectory } = options;
  try {
    return await import("@github/copilot-sdk");
  } catch (cause) {
    const manifest = vendorDirectory === undefined ? undefined : path.join(vendorDirectory, "package.json");
    const file = manifest === undefined ? undefined : resolvePackage(manifest, SDK_PACKAGE);
    if (file === undefined) {
      throw new ClientNotInstalledError(AGENT_TYPE, `the package ${SDK_PACKAGE}`, { cause, remedy: REMEDY });
    }
    // The package's own types describe what its main file exports.
    return (await import(pathToFileURL(file).href)) as typeof import("@github/copilot-sdk");
  }
}

/** The files from whose place packages are looked for, best first. */
function startingPoints({
  vendorDirectory,
  resolveFrom = import.meta.url,
}: Partial<FindCopilotOptions>): readonly string[] {
  return vendorDirectory === undefined ? [resolveFrom] : [resolveFrom, path.join(vendorDirectory, "package.json")];
}

/** The runtime's package may lie within the SDK's own `node_modules`. npm installs only what fits the system. */
function packagedRuntimes(from: string): readonly string[] {
  const file = platform() === "win32" ? "copilot-runtime.exe" : "copilot-runtime";
  const systems = platform() === "linux" ? ["linux", "linuxmusl"] : [platform()];
  const places = [from, resolvePackage(from, SDK_PACKAGE)].filter((place) => place !== undefined);
  return places.flatMap((place) =>
    systems.flatMap((system) => {
      const name = `${system}-${arch()}`;
      const manifest = resolvePackage(place, `${SDK_PACKAGE}-${name}/package.json`);
      return manifest === undefined ? [] : [path.join(path.dirname(manifest), "prebuilds", name, file)];
    }),
  );
}

function resolvePackage(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

function programsOnPath(env: Readonly<Record<string, string>>): readonly string[] {
  const file = platform() === "win32" ? "copilot.exe" : "copilot";
  const folders = (env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, file));
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
