import { SchemaValidationError } from "../errors/errors.ts";
import { maxAttemptsOf } from "../model/max-attempts.ts";
import { toRunError } from "./records/failure.ts";
import { planRetry } from "./records/retry-policy.ts";
import type { Task } from "./records/run-state.ts";

/** What follows a failed attempt: the failure, and the delay before the next attempt, if there is one. */
export interface NextAttempt {
  readonly error: Error;
  readonly delayMs: number | undefined;
}

/** Plans what follows a failed attempt. A `retryOn` that throws fails the node with its error. */
export function planNextAttempt(task: Task, error: Error, random: number): NextAttempt {
  // A retry would see the same data: the previous node has to run again.
  if (error instanceof SchemaValidationError) return { error, delayMs: undefined };
  try {
    return { error, delayMs: planRetry(task.node, error, task.failures + 1, random) };
  } catch (thrown) {
    return { error: toRunError(thrown), delayMs: undefined };
  }
}

/** Whether a node rejects the result of the one before, which has to run again (E8). */
export function isRefusal({ thread, node }: Task, error: Error): boolean {
  if (!(error instanceof SchemaValidationError) || thread.previousPc === undefined) return false;
  return (thread.refusals?.get(node.id) ?? 0) + 1 < maxAttemptsOf(node.retry);
}
