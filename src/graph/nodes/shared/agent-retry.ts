import { AtomicError, LASTING_ERROR_CODES } from "../../../contracts/index.ts";
import type { RetryConfig } from "../../model/node-definition.ts";

/** Errors that say nothing about the work that an agent was given. */
export const NOT_THE_WORKS_FAULT: ReadonlySet<string> = new Set([...LASTING_ERROR_CODES, "RATE_LIMITED"]);

/** Whether another attempt may end differently. */
export function isWorthRetrying(error: Error): boolean {
  if (error instanceof AtomicError && LASTING_ERROR_CODES.has(error.code)) return false;
  return !("isRetryable" in error) || error.isRetryable !== false;
}

/** How nodes that run an agent are tried again, unless they say otherwise. */
export const AGENT_RETRY: RetryConfig = { maxAttempts: 3, retryOn: isWorthRetrying };
