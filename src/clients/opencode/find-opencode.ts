import { arch, platform } from "node:os";
import path from "node:path";
import { AgentTooOldError, ClientNotInstalledError } from "../../contracts/index.ts";
import {
  firstExecutable,
  importPackage,
  isOlderVersion,
  type PackagePlaces,
  packageOrigins,
  programFile,
  programsOnPath,
  programVersion,
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

/** The first of the releases whose interface the client was written for. */
const OLDEST_VERSION = "1.18.0";

const REMEDY = 'Run "atomic install opencode".';

/**
 * Finds OpenCode's program: the given path, else the platform package installed next to Atomic or in the vendor's folder, else
 * `opencode` on the PATH. The package's own `.bin/opencode` is never taken from `node_modules`, because an install without scripts leaves
 * an error message there instead of the program.
 * @throws ClientNotInstalledError, AgentTooOldError
 */
export async function findOpenCode(options: FindOpenCodeOptions): Promise<string> {
  const { binaryPath, env } = options;
  const packaged = binaryPath === undefined ? packageOrigins(options).flatMap(packagedBinaries) : [];
  const installed = await firstExecutable(packaged);
  if (installed !== undefined) return installed;
  const own = await firstExecutable(binaryPath === undefined ? programsOnPath("opencode", env) : [binaryPath]);
  if (own !== undefined) return checkVersion(own, env);
  const missing = binaryPath === undefined ? "its program" : `the program "${binaryPath}"`;
  throw new ClientNotInstalledError(AGENT_TYPE, missing, { remedy: REMEDY });
}

/** A program that tells no version, or cannot, is taken at its word when it starts. */
async function checkVersion(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const found = await programVersion(program, env).catch(() => undefined);
  if (found === undefined || !isOlderVersion(found, OLDEST_VERSION)) return program;
  throw new AgentTooOldError(AGENT_TYPE, program, { found, oldest: OLDEST_VERSION });
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
