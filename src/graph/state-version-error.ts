import { AtomicError } from "../contracts/index.ts";

/** A run's state has another version than the workflow, and cannot be brought to it. */
export class StateVersionError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly fromVersion: number,
    readonly toVersion: number,
    problem: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "STATE_VERSION",
      `The state of the run "${runId}" has version ${fromVersion}, the workflow declares ${toVersion}: ${problem}`,
      options,
    );
  }
}
