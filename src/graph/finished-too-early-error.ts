import { AtomicError } from "../contracts/index.ts";

/** A node said that the run ends with it, and went on to ask a person, to sleep or to run a subgraph. */
export class FinishedTooEarlyError extends AtomicError {
  constructor(readonly nodeId: string) {
    super(
      "FINISHED_TOO_EARLY",
      `The node "${nodeId}" called finish(), and then asked a question, slept or began a subgraph. Call finish() in the node that comes after.`,
    );
  }
}
