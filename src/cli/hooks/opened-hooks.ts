import type { CodingAgentClient } from "../../contracts/index.ts";

/** The hooks of one call of Atomic. */
export interface OpenedHooks {
  /** The same client, with the hooks that run with it. */
  attach(
    client: CodingAgentClient,
    options: {
      readonly agentType: string;
      readonly isProjectTrusted: boolean;
      /** The environment of hooks: in an untrusted project, without its programs. */
      readonly env: Readonly<Record<string, string>>;
    },
  ): Promise<CodingAgentClient>;
}
