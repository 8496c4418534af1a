import { findClaude, findCopilot, findOpenCode } from "../../clients/index.ts";
import { vendorDirectoryOf } from "../install/install-agent.ts";
import type { Vendor } from "./agent-types.ts";

const FINDERS = { claude: findClaude, opencode: findOpenCode, copilot: findCopilot } as const satisfies Record<
  Vendor,
  unknown
>;

/** Where to look for a vendor's program. */
export interface FindVendorProgramOptions {
  readonly atomicHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program to use, with no fallback. */
  readonly binaryPath?: string | undefined;
  /** Packages are resolved from this file first. @default Atomic's own */
  readonly resolveFrom?: string | undefined;
}

/** Finds the program that an agent with a client of its own is started with. @throws ClientNotInstalledError, AgentTooOldError */
export async function findVendorProgram(
  vendor: Vendor,
  { atomicHome, env, binaryPath, resolveFrom }: FindVendorProgramOptions,
): Promise<string> {
  return await FINDERS[vendor]({
    env: { PATH: env.PATH ?? "" },
    vendorDirectory: vendorDirectoryOf(atomicHome, vendor),
    resolveFrom,
    ...(binaryPath === undefined ? {} : { binaryPath }),
  });
}
