import { AtomicError, LASTING_ERROR_CODES } from "../../../contracts/index.ts";
import type { RetryConfig } from "../../model/node-definition.ts";

/** Errors of the place where the work is done. */
const PLACE_ERRORS = [
  "GIT_IDENTITY_MISSING",
  "GIT_MISSING",
  "GIT_TOO_OLD",
  "REPOSITORY_UNUSABLE",
  "VERIFICATION_IMPOSSIBLE",
  "VERIFICATION_UNSTEADY",
  "WORKTREE_SETUP_FAILED",
];

/** Errors that do not depend on the agent's task. */
export const NOT_THE_WORKS_FAULT: ReadonlySet<string> = new Set([
  ...LASTING_ERROR_CODES,
  ...PLACE_ERRORS,
  "RATE_LIMITED",
]);

/** Whether a retry may succeed. */
export function isWorthRetrying(error: Error): boolean {
  if (error instanceof AtomicError && LASTING_ERROR_CODES.has(error.code)) return false;
  return !("isRetryable" in error) || error.isRetryable !== false;
}

/** The retry settings of a node that calls a tool: what its author asks for, without retries that cannot succeed. */
export function toolRetry(retry: RetryConfig | undefined): RetryConfig | undefined {
  return retry && { retryOn: isWorthRetrying, ...retry };
}

/** The default retry settings of nodes that run an agent. */
export const AGENT_RETRY: RetryConfig = { maxAttempts: 3, retryOn: isWorthRetrying };
