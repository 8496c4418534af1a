import { AtomicError } from "../../contracts/index.ts";

/** Nodes that share a session want it of different agents. */
export class SessionAgentMismatchError extends AtomicError {
  /** Another attempt would meet the same session. */
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    readonly sessionName: string,
    readonly agentTypes: readonly [ofSession: string, ofNode: string],
  ) {
    super(
      "SESSION_AGENT_MISMATCH",
      `The session "${sessionName}" is one of the agent "${agentTypes[0]}", but the node "${nodeId}" uses "${agentTypes[1]}". Give all nodes of a session the same agentType, or the sessions different names.`,
    );
  }
}
