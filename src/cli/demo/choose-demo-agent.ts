import { ClientNotInstalledError } from "../../contracts/index.ts";
import { type FindVendorProgramOptions, findVendorProgram } from "../agents/find-vendor-program.ts";

/** Who plays the demo. */
export type DemoAgent = "opencode" | "scripted";

/** Settings of {@link chooseDemoAgent}. */
export interface ChooseDemoAgentOptions extends Pick<FindVendorProgramOptions, "atomicHome" | "env" | "resolveFrom"> {
  /** The agent that the user chose. @default OpenCode where it is installed */
  readonly wanted?: string | undefined;
}

/**
 * OpenCode where it is installed, else the scripted agent.
 * @throws ClientNotInstalledError if the user chose OpenCode; AgentTooOldError, AgentTooNewError
 */
export async function chooseDemoAgent({ wanted, ...places }: ChooseDemoAgentOptions): Promise<DemoAgent> {
  if (wanted === "scripted") return "scripted";
  try {
    await findVendorProgram("opencode", places);
    return "opencode";
  } catch (error) {
    if (error instanceof ClientNotInstalledError && wanted === undefined) return "scripted";
    throw error;
  }
}
