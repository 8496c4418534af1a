import { AtomicError, nearestName } from "../contracts/index.ts";

/** The agent where neither the call nor the settings name one. */
export const DEFAULT_AGENT = "opencode";

/** Agents this Atomic can drive, besides those that the settings describe. */
export const AGENT_TYPES: readonly string[] = ["opencode", "scripted"];

/** There is no agent of this name. */
export class UnknownAgentError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly knownTypes: readonly string[],
  ) {
    const nearest = nearestName(agentType, knownTypes);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    super("AGENT_UNKNOWN", `There is no agent "${agentType}". Known agents: ${knownTypes.join(", ")}.${hint}`);
  }
}
