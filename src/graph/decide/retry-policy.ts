import { maxAttemptsOf } from "../model/max-attempts.ts";
import type { RetryConfig } from "../model/node-definition.ts";

const DEFAULTS = { backoffMs: 1_000, backoffMultiplier: 2, maxBackoffMs: 30_000, jitter: 0.2 } as const;

/**
 * How long to wait before the next attempt, in milliseconds; `undefined` when there is none (E8). What the error itself
 * asks for (`retryAfterMs`) is a lower bound, also beyond the cap.
 *
 * @param failures how often the node has failed so far, this failure included
 * @param random a number from 0 to 1
 */
export function planRetry(
  retry: RetryConfig | undefined,
  error: Error,
  failures: number,
  random: number,
): number | undefined {
  if (failures >= maxAttemptsOf(retry)) return undefined;
  if (retry?.retryOn !== undefined && !retry.retryOn(reachableAsError(error), failures)) {
    return undefined;
  }
  const { backoffMs, backoffMultiplier, maxBackoffMs, jitter } = { ...DEFAULTS, ...retry };
  const pauseMs = Math.min(maxBackoffMs, backoffMs * backoffMultiplier ** (failures - 1));
  const variedMs = Math.min(maxBackoffMs, pauseMs * (1 - jitter + 2 * jitter * random));
  return Math.round(Math.max(variedMs, retryAfterOf(error)));
}

/** The error, which is also its own `error`: `ctx.errors` and the like hold it that way. */
function reachableAsError(error: Error): Error & { readonly error: Error } {
  // The casts are true, unless the error has an `error` of its own, which its author knows.
  if ("error" in error) return error as Error & { readonly error: Error };
  const reachable = Object.isExtensible(error) ? error : (Object.create(error) as Error);
  return Object.defineProperty(reachable, "error", { value: error }) as Error & { readonly error: Error };
}

function retryAfterOf(error: Error): number {
  const value: unknown = "retryAfterMs" in error ? error.retryAfterMs : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
