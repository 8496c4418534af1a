import type { Usage } from "../../contracts/index.ts";
import { RunLimitError } from "../errors/errors.ts";

/** The maximum spending of a run (E3). */
export interface RunBudget {
  /** Tokens of all kinds together: input, output, read from and written to a cache. */
  readonly maxTokens?: number;
  /** United States dollars, if the agents report prices. */
  readonly maxCostUsd?: number;
}

/** The limit that this usage exceeds, if any. */
export function findBrokenBudget(budget: RunBudget, used: Usage): RunLimitError | undefined {
  const { maxTokens, maxCostUsd } = budget;
  const tokens = used.inputTokens + used.outputTokens + used.cacheReadTokens + used.cacheWriteTokens;
  if (maxTokens !== undefined && tokens > maxTokens) return new RunLimitError("maxTokens", maxTokens);
  const cost = used.costUsd ?? 0;
  return maxCostUsd !== undefined && cost > maxCostUsd ? new RunLimitError("maxCostUsd", maxCostUsd) : undefined;
}
