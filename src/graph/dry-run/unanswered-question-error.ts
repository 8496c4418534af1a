import { AtomicError } from "../../contracts/index.ts";

/** A dry run met a question to which no answer is given, and none can be made up. */
export class UnansweredQuestionError extends AtomicError {
  constructor(
    readonly questionId: string,
    readonly question: string,
  ) {
    super(
      "PLAN_UNANSWERED",
      `The dry run has no answer to "${questionId}" ("${question}"), and the question's schema does not tell one. Give it in "answers".`,
    );
  }
}
