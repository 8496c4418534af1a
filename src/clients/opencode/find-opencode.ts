import { arch, platform } from "node:os";
import path from "node:path";
import { ClientNotInstalledError } from "../../contracts/index.ts";
import {
  firstExecutable,
  importPackage,
  type PackagePlaces,
  packageOrigins,
  programFile,
  programsOnPath,
  resolvePackage,
} from "../process/find-program.ts";
import { AGENT_TYPE } from "./opencode-errors.ts";

/** Where to look for OpenCode's program. */
export interface FindOpenCodeOptions extends PackagePlaces {
  /** Takes this one or fails. */
  readonly binaryPath?: string | undefined;
  /** Its `PATH` is searched last. */
  readonly env: Readonly<Record<string, string>>;
}

const REMEDY = 'Run "atomic install opencode".';

/**
 * Finds OpenCode's program: the given path, else the platform package installed next to Atomic or in the vendor's folder, else
 * `opencode` on the PATH. The package's own `.bin/opencode` is never taken from `node_modules`, because an install without scripts leaves
 * an error message there instead of the program.
 * @throws ClientNotInstalledError
 */
export async function findOpenCode(options: FindOpenCodeOptions): Promise<string> {
  const { binaryPath, env } = options;
  const candidates = [...packageOrigins(options).flatMap(packagedBinaries), ...programsOnPath("opencode", env)];
  const found = await firstExecutable(binaryPath === undefined ? candidates : [binaryPath]);
  if (found !== undefined) return found;
  const missing = binaryPath === undefined ? "its program" : `the program "${binaryPath}"`;
  throw new ClientNotInstalledError(AGENT_TYPE, missing, { remedy: REMEDY });
}

/** Imports the SDK, from next to Atomic or from the vendor's folder. @throws ClientNotInstalledError */
export async function loadOpenCodeSdk(places: PackagePlaces): Promise<typeof import("@opencode-ai/sdk/v2/client")> {
  const name = "@opencode-ai/sdk/v2/client";
  try {
    return await importPackage({ ...places, name, load: () => import("@opencode-ai/sdk/v2/client") });
  } catch (cause) {
    throw new ClientNotInstalledError(AGENT_TYPE, "the package @opencode-ai/sdk", { cause, remedy: REMEDY });
  }
}

/**
 * The package names to try, best first. Processors without AVX2 need `-baseline`, systems without glibc `-musl`; npm
 * installs only what fits the system, so the order matters merely where several fit.
 */
function packagedBinaries(origin: string): readonly string[] {
  const system = platform() === "win32" ? "windows" : platform();
  const names = ["", "-baseline", "-musl", "-baseline-musl"].map((variant) => `opencode-${system}-${arch()}${variant}`);
  return names.flatMap((name) => {
    const manifest = resolvePackage(origin, `${name}/package.json`);
    return manifest === undefined ? [] : [path.join(path.dirname(manifest), "bin", programFile("opencode"))];
  });
}
