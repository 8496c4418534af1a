import type { CatchScope } from "../compile/program.ts";
import { AllBranchesFailedError } from "../errors/errors.ts";
import type { Failure, Fork, Thread } from "./records/run-state.ts";

/**
 * What handles a failure: a handler in the thread or in one around it, or a fork that continues without the branch.
 * `reason` is the failure to handle: the original one, or that all branches have failed.
 */
type FailurePlan =
  | { readonly type: "handler"; readonly thread: Thread; readonly scope: CatchScope; readonly reason: Failure }
  | {
      readonly type: "branch";
      readonly parent: Thread;
      readonly fork: Fork;
      readonly child: Thread;
      readonly reason: Failure;
    }
  | { readonly type: "nobody"; readonly reason: Failure };

/** Finds what handles a failure: the `.catch` of the thread's chain, then those of the chains around it. Changes nothing. */
export function planFailure(thread: Thread, failure: Failure, now: number): FailurePlan {
  let child = thread;
  let reason = failure;
  for (;;) {
    const scope = findCatch(child, reason);
    if (scope !== undefined) return { type: "handler", thread: child, scope, reason };
    const { parent } = child;
    const fork = parent?.fork;
    if (parent === undefined || fork === undefined) return { type: "nobody", reason };
    const { instruction } = fork;
    const { strategy } = instruction;
    if (instruction.op === "calls" && instruction.node.calls?.passesOn?.has(reason.code)) {
      child = parent;
      continue;
    }
    if (strategy === "settled" || (strategy === "any" && fork.openCount > 1)) {
      return { type: "branch", parent, fork, child, reason };
    }
    if (strategy === "any") reason = allFailed(fork, reason, now);
    child = parent;
  }
}

function allFailed(fork: Fork, last: Failure, now: number): Failure {
  const messages = [...fork.failures.values(), last].map((failure) => failure.message);
  const error = new AllBranchesFailedError(fork.instruction.id, messages);
  return { code: error.code, message: error.message, nodeId: fork.instruction.id, attempt: 1, at: now, live: error };
}

/** The innermost `.catch` that covers the thread's position and accepts the failure. Scopes are nested: the smallest wins. */
function findCatch({ code, region, pc }: Thread, { code: errorCode }: Failure): CatchScope | undefined {
  let nearest: CatchScope | undefined;
  for (const scope of code.program.catches) {
    if (scope.passesOn?.has(errorCode)) continue;
    if (pc < scope.startPc || pc >= scope.endPc) continue;
    if (scope.startPc < region.startPc || scope.endPc > region.endPc) continue;
    if (nearest === undefined || scope.endPc - scope.startPc < nearest.endPc - nearest.startPc) nearest = scope;
  }
  return nearest;
}
