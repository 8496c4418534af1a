import {
  addUsage,
  type ContextUsage,
  isRecord,
  NO_USAGE,
  recordOf,
  recordsOf,
  type Usage,
} from "../../../contracts/index.ts";

/** The size and cost of a conversation as last reported by the agent. */
export interface AcpMeter {
  readonly usedTokens: number;
  readonly maxTokens: number;
  /** The total cost of the conversation, in United States dollars; absent where it is unknown. */
  readonly totalCostUsd?: number;
}

/** The meter of a new conversation. */
export const NEW_METER: AcpMeter = { usedTokens: 0, maxTokens: 0, totalCostUsd: 0 };

/** The meter of a conversation with unknown size and cost. */
export const UNKNOWN_METER: AcpMeter = { usedTokens: 0, maxTokens: 0 };

/** The meter after a `usage_update`. Pure. */
export function readMeter(before: AcpMeter, rawUpdate: unknown): AcpMeter {
  const { used, size, cost } = recordOf(rawUpdate);
  const { amount, currency } = recordOf(cost);
  const isDollars = typeof amount === "number" && Number.isFinite(amount) && currency === "USD";
  return {
    ...before,
    // After a failed model call an agent may report 0, which is no valid size.
    usedTokens: numberOf(used) || before.usedTokens,
    maxTokens: numberOf(size) || before.maxTokens,
    ...(isDollars ? { totalCostUsd: amount } : {}),
  };
}

/** The usage of the context window. */
export function toContextUsage({ usedTokens, maxTokens }: AcpMeter): ContextUsage {
  return { usedTokens, maxTokens, fraction: maxTokens > 0 ? Math.min(1, usedTokens / maxTokens) : 0 };
}

/** Settings of {@link readUsage}. */
export interface ReadUsageOptions {
  /** The meter before the prompt. */
  readonly before: AcpMeter;
  /** The meter after it. */
  readonly after: AcpMeter;
}

/** The reported tokens and cost of a prompt; undefined when neither was reported. Pure. */
export function readUsage(rawAnswer: unknown, { before, after }: ReadUsageOptions): Usage | undefined {
  const answer = recordOf(rawAnswer);
  const tokens = modelTokens(answer) ?? (isRecord(answer.usage) ? standardTokens(answer.usage) : quotaTokens(answer));
  const isPriced = before.totalCostUsd !== undefined && after.totalCostUsd !== undefined;
  const costUsd = isPriced ? Math.max(0, roundToNano((after.totalCostUsd ?? 0) - (before.totalCostUsd ?? 0))) : 0;
  // Without a reported cost the total does not change.
  const hasCost = isPriced && costUsd > 0;
  if (tokens === undefined && !hasCost) return undefined;
  return { ...(tokens ?? NO_USAGE), ...(hasCost ? { costUsd } : {}) };
}

function standardTokens(usage: Readonly<Record<string, unknown>>): Usage {
  const inputTokens = numberOf(usage.inputTokens);
  const outputTokens = numberOf(usage.outputTokens);
  const cacheReadTokens = numberOf(usage.cachedReadTokens);
  const cacheWriteTokens = numberOf(usage.cachedWriteTokens);
  const thoughtTokens = numberOf(usage.thoughtTokens);
  const sum = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens + thoughtTokens;
  // The total shows whether thinking is counted separately from the rest of the output.
  const isApart = thoughtTokens > 0 && numberOf(usage.totalTokens) === sum;
  return {
    inputTokens,
    outputTokens: outputTokens + (isApart ? thoughtTokens : 0),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/**
 * The sum over all models, sub-agents included, which some agents report besides the standard numbers. It is used only
 * where its parts match Atomic's, which count cache reads separately.
 */
function modelTokens(answer: Readonly<Record<string, unknown>>): Usage | undefined {
  const counts = recordsOf(recordOf(recordOf(answer._meta).quota).model_usage).map((model) =>
    recordOf(model.token_count),
  );
  const isExact = counts.every((count) => numberOf(count.totalTokens) === sumOf(toUsage(count)));
  if (counts.length === 0 || !isExact) return undefined;
  return counts.map(toUsage).reduce(addUsage);
}

function toUsage(count: Readonly<Record<string, unknown>>): Usage {
  return {
    inputTokens: numberOf(count.inputTokens),
    outputTokens: numberOf(count.outputTokens),
    cacheReadTokens: numberOf(count.cachedInputTokens),
    cacheWriteTokens: numberOf(count.cachedWriteTokens),
  };
}

function sumOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

/** The tokens from agents older than ACP's own field for them. */
function quotaTokens(answer: Readonly<Record<string, unknown>>): Usage | undefined {
  const count = recordOf(recordOf(recordOf(answer._meta).quota).token_count);
  const inputTokens = numberOf(count.input_tokens);
  const outputTokens = numberOf(count.output_tokens);
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  return { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
}

/** Removes the rounding errors of a difference between two sums. */
function roundToNano(dollars: number): number {
  return Math.round(dollars * 1e9) / 1e9;
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
