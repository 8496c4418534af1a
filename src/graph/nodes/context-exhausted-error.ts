import { AtomicError } from "../../contracts/index.ts";

/** A session's context window is as full as it may be, and the workflow asks to fail then. */
export class ContextExhaustedError extends AtomicError {
  constructor(
    readonly session: string,
    readonly fraction: number,
    readonly threshold: number,
  ) {
    super(
      "CONTEXT_EXHAUSTED",
      `The session "${session}" fills ${percent(fraction)} of its context window, and may fill less than ${percent(threshold)}. Clear it earlier with clearContextNode, or raise thresholds.exhaustion.`,
    );
  }
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 100)} %`;
}
