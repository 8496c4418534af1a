import { arch, platform } from "node:os";
import path from "node:path";
import { ClientNotInstalledError } from "../../../../contracts/index.ts";
import { firstExecutable, isExecutable, programFile, programsOnPath } from "../../../../system/index.ts";
import {
  checkProgramVersion,
  importPackage,
  type PackagePlaces,
  packageOrigins,
  resolvePackage,
} from "../../../process/find-program.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";

/** Where to look for Copilot. */
export interface FindCopilotOptions extends PackagePlaces {
  /** Uses this program or fails. */
  readonly binaryPath?: string;
  /** Its `PATH` is searched last. */
  readonly env: Readonly<Record<string, string>>;
}

const SDK_PACKAGE = "@github/copilot-sdk";
/** The first release with the SDK's protocol. */
const OLDEST_VERSION = "1.0.0";

const REMEDY = 'Run "atomic install copilot".';

/**
 * Finds the program that runs Copilot's sessions: the given path, else the SDK's own runtime next to Atomic or in
 * `vendorDirectory`, else `copilot` on the PATH.
 * @throws ClientNotInstalledError, AgentTooOldError
 */
export async function findCopilot(options: FindCopilotOptions): Promise<string> {
  const { binaryPath, env } = options;
  if (binaryPath !== undefined) {
    // It may be the SDK's own runtime, which knows no --version.
    if (await isExecutable(binaryPath)) return binaryPath;
    throw new ClientNotInstalledError(AGENT_TYPE, `the program "${binaryPath}"`, { remedy: REMEDY });
  }
  const packaged = await firstExecutable(packageOrigins(options).flatMap(packagedRuntimes));
  if (packaged !== undefined) return packaged;
  const own = await firstExecutable(programsOnPath("copilot", env));
  if (own !== undefined) return checkProgramVersion(own, { agentType: AGENT_TYPE, env, oldest: OLDEST_VERSION });
  throw new ClientNotInstalledError(AGENT_TYPE, "its program", { remedy: REMEDY });
}

/**
 * Loads the SDK from next to Atomic or from `vendorDirectory`.
 * @throws ClientNotInstalledError
 */
export async function loadCopilotSdk(places: PackagePlaces): Promise<typeof import("@github/copilot-sdk")> {
  try {
    return await importPackage({ ...places, name: SDK_PACKAGE, load: () => import("@github/copilot-sdk") });
  } catch (cause) {
    throw new ClientNotInstalledError(AGENT_TYPE, `the package ${SDK_PACKAGE}`, { cause, remedy: REMEDY });
  }
}

/** The runtime's package may be in the SDK's own `node_modules`. npm installs only the one for the system. */
function packagedRuntimes(from: string): readonly string[] {
  const systems = platform() === "linux" ? ["linux", "linuxmusl"] : [platform()];
  const places = [from, resolvePackage(from, SDK_PACKAGE)].filter((place) => place !== undefined);
  return places.flatMap((place) =>
    systems.flatMap((system) => {
      const name = `${system}-${arch()}`;
      const manifest = resolvePackage(place, `${SDK_PACKAGE}-${name}/package.json`);
      return manifest === undefined
        ? []
        : [path.join(path.dirname(manifest), "prebuilds", name, programFile("copilot-runtime"))];
    }),
  );
}
