import { ClientNotInstalledError } from "../../../../contracts/index.ts";
import { firstExecutable, programsOnPath } from "../../../../system/index.ts";
import {
  checkProgramVersion,
  importPackage,
  type PackagePlaces,
  packageOrigins,
  platformPrograms,
} from "../../../process/find-program.ts";
import {
  FIRST_FOREIGN_OPENCODE_VERSION,
  OLDEST_OPENCODE_VERSION,
  OPENCODE_PACKAGE,
} from "../../opencode-settings/opencode-program.ts";
import { AGENT_TYPE } from "./opencode-errors.ts";

/** Where to look for OpenCode's program. */
export interface FindOpenCodeOptions extends PackagePlaces {
  /** Uses this program or fails. */
  readonly binaryPath?: string | undefined;
  /** Its `PATH` is searched last. */
  readonly env: Readonly<Record<string, string>>;
}

const REMEDY = 'Run "atomic install opencode".';

/**
 * Finds OpenCode's program: the given path, else the platform package installed next to Atomic or in the vendor's folder,
 * else `opencode` on the PATH. The package's own `.bin/opencode` in `node_modules` is never used, because an install without
 * scripts leaves an error message there instead of the program.
 * @throws ClientNotInstalledError, AgentTooOldError, AgentTooNewError
 */
export async function findOpenCode(options: FindOpenCodeOptions): Promise<string> {
  const { binaryPath, env } = options;
  const packaged = binaryPath === undefined ? platformPrograms(packageOrigins(options), OPENCODE_PACKAGE) : [];
  const installed = await firstExecutable(packaged);
  if (installed !== undefined) return installed;
  const own = await firstExecutable(binaryPath === undefined ? programsOnPath("opencode", env) : [binaryPath]);
  if (own !== undefined)
    return checkProgramVersion(own, {
      agentType: AGENT_TYPE,
      env,
      oldest: OLDEST_OPENCODE_VERSION,
      below: FIRST_FOREIGN_OPENCODE_VERSION,
    });
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
