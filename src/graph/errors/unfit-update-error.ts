import { AtomicError } from "../../contracts/index.ts";

/** How an update came to be rejected. */
export interface UnfitUpdateOptions {
  /** The step that the update is from, if it is from one. */
  readonly nodeId?: string | undefined;
  /** @default to give a value of the field's own type */
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** An update does not fit its field: the field's reducer rejects it, or makes no value of it. */
export class UnfitUpdateError extends AtomicError {
  /** Another attempt would come to the same, and its agent would be paid again. */
  readonly isRetryable = false;
  readonly nodeId: string | undefined;

  constructor(
    readonly field: string,
    problem: string,
    { nodeId, remedy = "Give a value of the field's own type.", cause }: UnfitUpdateOptions = {},
  ) {
    const origin = nodeId === undefined ? "" : ` from "${nodeId}"`;
    super(
      "STATE_UNFIT_UPDATE",
      `The update of "${field}"${origin} does not fit this field, and nothing was changed: ${problem.replace(/[.\s]+$/, "")}. ${remedy}`,
      cause === undefined ? {} : { cause },
    );
    this.nodeId = nodeId;
  }
}
