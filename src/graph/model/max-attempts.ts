import type { RetryConfig } from "./node-definition.ts";

/** How often a node may run. */
export function maxAttemptsOf(retry: RetryConfig | undefined): number {
  return retry?.maxAttempts ?? 1;
}
