import { takeUpdate } from "../../decide/assert-result.ts";
import { lastingErrorOf } from "../../decide/records/failure.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { BaseState } from "../../state/annotation.ts";

/** A node's `outputMapper`. */
type ResultMapper<State extends BaseState, Item, Result> = (
  result: Result,
  state: Readonly<State>,
  context: ExecutionContext<State, Item>,
) => Partial<State>;

/**
 * The update that a node's `outputMapper` makes of the node's result. When the mapper throws, the node fails without a
 * retry, which would repeat the agent's turn, the command or the tool call.
 *
 * @throws InvalidResultError for a mapper that returns no object of fields, and what the mapper throws
 */
export function mapResult<State extends BaseState, Item, Result>(
  mapper: ResultMapper<State, Item, Result>,
  result: Result,
  context: ExecutionContext<State, Item>,
): Partial<State> {
  let update: unknown;
  try {
    update = mapper(result, context.state, context);
  } catch (thrown) {
    throw errorAfterWork(thrown, context);
  }
  // The cast is as true as the mapper's type.
  return takeUpdate(context.nodeId, update, "outputMapper") as Partial<State>;
}

/** What the author's code threw after a node's work, marked so that a retry does not repeat the work. A cancel stays what it is. */
export function errorAfterWork(thrown: unknown, { signal }: Pick<ExecutionContext, "signal">): unknown {
  return signal.aborted ? thrown : lastingErrorOf(thrown);
}
