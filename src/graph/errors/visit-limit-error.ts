import { AtomicError } from "../../contracts/index.ts";

/** A `goto` reached the maximum number of visits of its target. */
export class VisitLimitError extends AtomicError {
  constructor(
    readonly nodeId: string,
    readonly limit: number,
  ) {
    super(
      "GRAPH_VISIT_LIMIT",
      `The run went to "${nodeId}" ${limit} times, which is its maxVisits. Look for a goto without progress, or set a larger maxVisits in compile() or run(), then resume the run.`,
    );
  }
}
