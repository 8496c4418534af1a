import { AtomicError } from "../../contracts/index.ts";

/** A function of the workflow's returned a promise where its result is needed at once. */
export class PromiseReturnedError extends AtomicError {
  /** Another attempt would return the same. */
  readonly isRetryable = false;

  constructor(
    readonly option: string,
    readonly owner: string,
  ) {
    super(
      "PROMISE_RETURNED",
      `The function "${option}" of "${owner}" returned a promise, which it cannot wait for. Return the value itself: wait in a node, and keep the result in the state.`,
    );
  }
}

/** Whether a value is a promise, or can be awaited like one. A graph that is still being built has a `then()` too, and is none. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== "object" || value === null || "compile" in value) return false;
  return "then" in value && typeof value.then === "function";
}

/**
 * Passes on what a function of the workflow's returned. Files that are run directly are not type-checked, and a promise would
 * count as true, or as an empty object.
 *
 * @param option the name of the function
 * @param owner the id of the step, or the name of the field, that the function belongs to
 * @throws PromiseReturnedError
 */
export function immediate<T>(value: T, option: string, owner: string): T {
  if (!isPromise(value)) return value;
  ignoreRejection(value);
  throw new PromiseReturnedError(option, owner);
}

/** Keeps a promise that nobody waits for from ending the process when it is rejected. */
export function ignoreRejection(value: unknown): void {
  if (value instanceof Promise) value.catch(() => undefined);
}
