import { AtomicError } from "../../contracts/index.ts";

/** The last node of a criteria loop left no text to look for the signal in. */
export class CriteriaOutputError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly lastNodeId: string,
  ) {
    super(
      "CRITERIA_NO_OUTPUT",
      `The loop "${loopId}" looks for its completionSignal in outputs["${lastNodeId}"], which is not a text, and no agent before it answered. Say with "output" where the text is.`,
    );
  }
}
