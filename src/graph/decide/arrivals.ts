import { instructionAt } from "../compile/instruction-at.ts";
import { RunLimitError } from "../errors/errors.ts";
import { VisitLimitError } from "../errors/visit-limit-error.ts";
import type { RunLimits } from "./run-port.ts";
import type { RunState, Thread } from "./run-state.ts";

/*
 * A `goto` can lead backwards, and for ever; what repeats otherwise has a bound of its own. So it is counted how often one
 * led to each node. What happens within an iteration of a loop is bounded by the loop: those counts begin again with each.
 */

/** How often a `goto` may lead to one node. */
export const DEFAULT_MAX_VISITS = 1_000;

/** Of what lies in no loop that is under way. */
const OUTSIDE = -1;

/** Counts that a `goto` leads a thread to a node. */
export function noteArrival(
  run: RunState,
  thread: Thread,
  { nodeId, pc }: { readonly nodeId: string; readonly pc: number },
): void {
  const around = innermostLoop(thread, pc);
  thread.arrivals ??= new Map();
  const counts = thread.arrivals.get(around) ?? new Map<string, number>();
  thread.arrivals.set(around, counts);
  const count = (counts.get(nodeId) ?? 0) + 1;
  counts.set(nodeId, count);
  run.arrived.push([nodeId, count]);
}

/** The bound that the last change broke, if any. */
export function findBrokenLimit(
  run: RunState,
  { maxSteps, maxVisits }: RunLimits,
): RunLimitError | VisitLimitError | undefined {
  if (run.stepCount > maxSteps) return new RunLimitError("maxSteps", maxSteps);
  const broken = run.arrived.find(([, count]) => count > maxVisits);
  return broken && new VisitLimitError(broken[0], maxVisits);
}

/** The innermost loop under way that holds both where a thread is and where it goes. */
function innermostLoop({ code, loops, pc: from }: Thread, to: number): number {
  let innermost = OUTSIDE;
  for (const loopPc of loops?.keys() ?? []) {
    const loop = instructionAt(code, loopPc);
    if (loop.op !== "loop" || loopPc < innermost) continue;
    if (loopPc < from && from < loop.exitPc && loopPc < to && to < loop.exitPc) innermost = loopPc;
  }
  return innermost;
}
