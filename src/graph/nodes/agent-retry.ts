import { AtomicError } from "../../contracts/index.ts";
import type { RetryConfig } from "../node-definition.ts";

/** Errors that another attempt would only meet again. */
const PERMANENT_CODES: ReadonlySet<string> = new Set([
  "CLIENT_NOT_INSTALLED",
  "NOT_SIGNED_IN",
  "CAPABILITY_MISSING",
  "SANDBOX_INVALID",
  "SANDBOX_UNAVAILABLE",
  "SERVICE_MISSING",
  "NAME_UNKNOWN",
  "SESSION_AGENT_MISMATCH",
]);

/** Errors that say nothing about the work that an agent was given. */
export const NOT_THE_WORKS_FAULT: ReadonlySet<string> = new Set([...PERMANENT_CODES, "RATE_LIMITED"]);

/** Whether another attempt may end differently. */
export function isWorthRetrying(error: Error): boolean {
  if (error instanceof AtomicError && PERMANENT_CODES.has(error.code)) return false;
  return !("isRetryable" in error) || error.isRetryable !== false;
}

/** How nodes that run an agent are tried again, unless they say otherwise. */
export const AGENT_RETRY: RetryConfig = { maxAttempts: 3, retryOn: isWorthRetrying };
