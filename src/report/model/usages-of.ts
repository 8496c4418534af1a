import type { Usage, UsageByAgent } from "../../contracts/index.ts";
import type { ReportedUsage } from "./run-report-page.ts";

/** The parts of the agents, by name; those that used nothing are left out. */
export function usagesOf(usageByAgent: UsageByAgent = {}): readonly ReportedUsage[] {
  return Object.entries(usageByAgent)
    .filter(([, usage]) => tokensOf(usage) > 0 || (usage.costUsd ?? 0) > 0)
    .map(([agent, usage]) => ({ agent, usage }))
    .toSorted((left, right) => (left.agent < right.agent ? -1 : 1));
}

/** All tokens of a usage. */
export function tokensOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}
