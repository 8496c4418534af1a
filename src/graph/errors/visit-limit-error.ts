import { AtomicError } from "../../contracts/index.ts";

/** A `goto` led to one node as often as it may. */
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
