/** Tokens and money spent. Every field counts from zero; a field a vendor does not report stays zero or absent. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** United States dollars. Absent when the vendor reports no price. */
  readonly costUsd?: number;
}

/** Usage by the type of the agent, such as `claude`. */
export type UsageByAgent = Readonly<Record<string, Usage>>;

/** Nothing spent. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Adds two amounts. The cost is known if at least one of them has one. */
export function addUsage(left: Usage, right: Usage): Usage {
  const total = {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
  };
  if (left.costUsd === undefined && right.costUsd === undefined) return total;
  return { ...total, costUsd: (left.costUsd ?? 0) + (right.costUsd ?? 0) };
}
