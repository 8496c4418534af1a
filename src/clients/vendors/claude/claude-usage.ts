import {
  addUsage,
  countOf,
  isRecord,
  NO_USAGE,
  recordOf,
  type UnknownRecord,
  type Usage,
} from "../../../contracts/index.ts";
import type { EndpointModel } from "../../options/client-options.ts";

/** One model call that Claude Code has reported. */
export interface ModelCall {
  readonly id: string;
  readonly usage: Usage;
  /** False while the number of output tokens is not final. */
  readonly isFinal: boolean;
}

/** The model calls since the last `result`. */
export interface CallLedger {
  /** The latest call of the conversation, which is reported when the next one starts or the turn ends. */
  readonly held?: ModelCall;
  /** The sum of the conversation's own calls without `held`. */
  readonly reported: Usage;
  /** The calls of sub-agents. Claude Code reports their input tokens, but not their output tokens. */
  readonly subagentCalls: Map<string, ModelCall>;
}

/** The ledger before any model call. */
export function emptyLedger(): CallLedger {
  return { reported: NO_USAGE, subagentCalls: new Map() };
}

/** Reads the `usage` of a message in the provider's format. */
export function parseUsage(raw: unknown): Usage {
  const fields = recordOf(raw);
  return {
    inputTokens: countOf(fields.input_tokens),
    outputTokens: countOf(fields.output_tokens),
    cacheReadTokens: countOf(fields.cache_read_input_tokens),
    cacheWriteTokens: countOf(fields.cache_creation_input_tokens),
  };
}

/** Updates a call in progress. Numbers that the later event leaves out or reports as zero stay the same. */
export function updateCall(call: ModelCall, raw: unknown): ModelCall {
  const later = parseUsage(raw);
  const { usage } = call;
  return {
    ...call,
    isFinal: true,
    usage: {
      inputTokens: later.inputTokens || usage.inputTokens,
      outputTokens: later.outputTokens || usage.outputTokens,
      cacheReadTokens: later.cacheReadTokens || usage.cacheReadTokens,
      cacheWriteTokens: later.cacheWriteTokens || usage.cacheWriteTokens,
    },
  };
}

/**
 * The usage that remains to be reported at a `result`, one item per model call.
 *
 * 1. The sum of all reported usage is Claude Code's total since the last `result`, sub-agents and compactions
 *    included, but never less than the sum of the calls that were seen.
 * 2. The conversation's own calls keep the provider's numbers. The rest of the total is added to sub-agents' calls,
 *    else to a call that was cut off, else it becomes a call of its own.
 * 3. The cost is reported once, with the last item.
 */
export function settleLedger(ledger: CallLedger, result: UnknownRecord): readonly Usage[] {
  const { held, reported } = ledger;
  const total = parseTotal(result.model_usage_since_last_result);
  const subagents = [...ledger.subagentCalls.values()].map(({ usage }) => usage);
  const seen = [reported, ...(held === undefined ? [] : [held.usage]), ...subagents].reduce(addUsage);
  const rest = subtract(total.usage, seen);
  const own = held === undefined ? [] : [held.usage];
  const usages = spread({ rest, subagents, own, isOwnCut: held !== undefined && isCut(held) });
  return total.costUsd === undefined ? usages : withCost(usages, total.costUsd);
}

/** Whether a call was cut off: its output tokens are missing or zero. */
function isCut({ isFinal, usage }: ModelCall): boolean {
  return !isFinal || usage.outputTokens === 0;
}

/** Invariant 2. */
function spread(parts: {
  readonly rest: Usage;
  readonly subagents: readonly Usage[];
  readonly own: readonly Usage[];
  readonly isOwnCut: boolean;
}): readonly Usage[] {
  const { rest, subagents, own, isOwnCut } = parts;
  const written: Usage = { ...NO_USAGE, outputTokens: rest.outputTokens };
  const read: Usage = { ...rest, outputTokens: 0 };
  const isReadEmpty = isEmpty(read);
  if (subagents.length > 0) {
    const last = subagents.length - 1;
    const filled = subagents.map((usage, index) => (index === last ? addUsage(usage, written) : usage));
    return [...filled, ...(isReadEmpty ? [] : [read]), ...own];
  }
  if (isEmpty(rest)) return own;
  if (isOwnCut && isReadEmpty) return own.map((usage) => addUsage(usage, written));
  return [rest, ...own];
}

/** Invariant 3. */
function withCost(usages: readonly Usage[], costUsd: number): readonly Usage[] {
  if (usages.length === 0) return costUsd > 0 ? [{ ...NO_USAGE, costUsd }] : [];
  const last = usages.length - 1;
  return usages.map((usage, index) => (index === last ? { ...usage, costUsd } : usage));
}

/**
 * Whether a `result` reports that no model was called since the last one. `total_cost_usd` cannot say that: it is the
 * sum of the whole process, and present even when Claude Code has no usage to report.
 */
export function hasNoUsage({ model_usage_since_last_result: usage }: UnknownRecord): boolean {
  return isRecord(usage) && Object.keys(usage).length === 0;
}

/**
 * Sums the totals by model. Claude Code guesses the price of a model that it does not know (`costBasis` is "unknown");
 * one such model leaves the total cost unknown.
 */
function parseTotal(raw: unknown): { readonly usage: Usage; readonly costUsd?: number } {
  const models = Object.values(recordOf(raw)).map(recordOf);
  const usage = models
    .map(
      (model): Usage => ({
        inputTokens: countOf(model.inputTokens),
        outputTokens: countOf(model.outputTokens),
        cacheReadTokens: countOf(model.cacheReadInputTokens),
        cacheWriteTokens: countOf(model.cacheCreationInputTokens),
      }),
    )
    .reduce(addUsage, NO_USAGE);
  const isPriced = models.length > 0 && models.every((model) => model.costBasis !== "unknown");
  if (!isPriced) return { usage };
  return { usage, costUsd: models.reduce((sum, model) => sum + countOf(model.costUSD), 0) };
}

/** The usage at the prices of the user's own endpoint. Without prices the cost is unknown. */
export function priceUsage(usage: Usage, model: EndpointModel | undefined): Usage {
  const { costUsd: _, ...tokens } = usage;
  const { costPerMillionInputUsd: inputPrice, costPerMillionOutputUsd: outputPrice } = model ?? {};
  if (inputPrice === undefined && outputPrice === undefined) return tokens;
  const costUsd = (tokens.inputTokens * (inputPrice ?? 0) + tokens.outputTokens * (outputPrice ?? 0)) / 1_000_000;
  return { ...tokens, costUsd };
}

function subtract(left: Usage, right: Usage): Usage {
  return {
    inputTokens: Math.max(0, left.inputTokens - right.inputTokens),
    outputTokens: Math.max(0, left.outputTokens - right.outputTokens),
    cacheReadTokens: Math.max(0, left.cacheReadTokens - right.cacheReadTokens),
    cacheWriteTokens: Math.max(0, left.cacheWriteTokens - right.cacheWriteTokens),
  };
}

function isEmpty(usage: Usage): boolean {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens === 0;
}
