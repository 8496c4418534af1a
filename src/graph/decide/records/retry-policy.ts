import { immediate } from "../../errors/promise-returned-error.ts";
import { maxAttemptsOf } from "../../model/max-attempts.ts";
import type { RetryConfig } from "../../model/node-definition.ts";

const DEFAULTS = { backoffMs: 1_000, backoffMultiplier: 2, maxBackoffMs: 30_000, jitter: 0.2 } as const;

/**
 * The pause before the next attempt, in milliseconds; `undefined` when there is none (E8). The error's own `retryAfterMs`
 * is a lower bound, even above the cap.
 *
 * @param failures the node's failures so far, including this one
 * @param random a number from 0 to 1
 */
export function planRetry(
  { id, retry }: { readonly id: string; readonly retry?: RetryConfig | undefined },
  error: Error,
  failures: number,
  random: number,
): number | undefined {
  if (failures >= maxAttemptsOf(retry)) return undefined;
  if (retry?.retryOn !== undefined) {
    const isWanted = immediate(retry.retryOn(reachableAsError(error), failures), "retryOn", id);
    if (!isWanted) return undefined;
  }
  const { backoffMs, backoffMultiplier, maxBackoffMs, jitter } = { ...DEFAULTS, ...retry };
  const pauseMs = Math.min(maxBackoffMs, backoffMs * backoffMultiplier ** (failures - 1));
  const variedMs = Math.min(maxBackoffMs, pauseMs * (1 - jitter + 2 * jitter * random));
  return Math.round(Math.max(variedMs, retryAfterOf(error)));
}

/** The error, with itself as its `error` property: the elements of `ctx.errors` have that shape. */
function reachableAsError(error: Error): Error & { readonly error: Error } {
  // The casts are true, unless the error has its own `error`, whose type its author knows.
  if ("error" in error) return error as Error & { readonly error: Error };
  const reachable = Object.isExtensible(error) ? error : (Object.create(error) as Error);
  return Object.defineProperty(reachable, "error", { value: error }) as Error & { readonly error: Error };
}

function retryAfterOf(error: Error): number {
  const value: unknown = "retryAfterMs" in error ? error.retryAfterMs : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
