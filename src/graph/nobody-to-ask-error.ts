import { AtomicError } from "../contracts/index.ts";

/** A node asked a person in a run that nobody can go on with after its process: it has no journal. */
export class NobodyToAskError extends AtomicError {
  constructor(
    readonly nodeId: string,
    readonly question: string,
  ) {
    super(
      "NOBODY_TO_ASK",
      `The node "${nodeId}" asks "${question}", but without a journal no answer can ever reach this run. Give compile() or run() a \`checkpointer\`, or the question an \`autoApprove\`.`,
    );
  }
}
