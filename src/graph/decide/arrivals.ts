import { instructionAt } from "../compile/instruction-at.ts";
import { RunLimitError } from "../errors/errors.ts";
import { VisitLimitError } from "../errors/visit-limit-error.ts";
import type { RunState, Thread } from "./records/run-state.ts";
import type { RunLimits } from "./run-port.ts";

/*
 * A `goto` can lead backwards without end; every other kind of repetition has its own limit. So the arrivals by `goto` are
 * counted for each node. Inside a loop, the loop's limit applies, and the counts restart with each iteration.
 */

/** How often a `goto` may lead to one node. */
export const DEFAULT_MAX_VISITS = 1_000;

/** The key for nodes that are in no loop in progress. */
const OUTSIDE = -1;

/** Counts an arrival of a thread at a node by `goto`. */
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

/** The limit that the last change exceeded, if any. */
export function findBrokenLimit(
  run: RunState,
  { maxSteps, maxVisits }: RunLimits,
): RunLimitError | VisitLimitError | undefined {
  if (run.stepCount > maxSteps) return new RunLimitError("maxSteps", maxSteps);
  const broken = run.arrived.find(([, count]) => count > maxVisits);
  return broken && new VisitLimitError(broken[0], maxVisits);
}

/** The innermost loop in progress that contains both the thread's position and the target. */
function innermostLoop({ code, loops, pc: from }: Thread, to: number): number {
  let innermost = OUTSIDE;
  for (const loopPc of loops?.keys() ?? []) {
    const loop = instructionAt(code, loopPc);
    if (loop.op !== "loop" || loopPc < innermost) continue;
    if (loopPc < from && from < loop.exitPc && loopPc < to && to < loop.exitPc) innermost = loopPc;
  }
  return innermost;
}
