import { AtomicError } from "../../contracts/index.ts";
import type { SubagentFailure } from "../subagent-runner.ts";
import { isWorthRetrying } from "./agent-retry.ts";

/** A sub-agent did not do its work. */
export class SubagentFailedError extends AtomicError {
  readonly isRetryable: boolean;
  /** How long to wait before another attempt, in milliseconds, when somebody said so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly nodeId: string,
    readonly agentName: string,
    { error, cause }: Pick<SubagentFailure, "error" | "cause">,
  ) {
    super("SUBAGENT_FAILED", `The sub-agent "${agentName}" of the node "${nodeId}" failed: ${error}`, { cause });
    const about = typeof cause === "object" && cause !== null ? cause : {};
    this.isRetryable = !(cause instanceof Error) || isWorthRetrying(cause);
    this.retryAfterMs =
      "retryAfterMs" in about && typeof about.retryAfterMs === "number" ? about.retryAfterMs : undefined;
  }
}
