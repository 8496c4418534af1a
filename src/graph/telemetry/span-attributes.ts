import type { SpanAttributes, Usage } from "../../contracts/index.ts";

/**
 * Standard names, from OpenTelemetry's semantic conventions for generative AI (version 1.41, status "development":
 * opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans). Names that the conventions lack start with `atomic.`
 */
export const OPERATION_NAME = "gen_ai.operation.name";
export const WORKFLOW_NAME = "gen_ai.workflow.name";
export const AGENT_NAME = "gen_ai.agent.name";
export const CONVERSATION_ID = "gen_ai.conversation.id";
export const TOOL_NAME = "gen_ai.tool.name";
export const TOOL_CALL_ID = "gen_ai.tool.call.id";
export const ERROR_TYPE = "error.type";
export const PROCESS_EXIT_CODE = "process.exit.code";

/** An agent's usage under the conventions' names. Their input tokens include cache reads and writes. */
export function agentUsageAttributes(usage: Usage): SpanAttributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  return {
    "gen_ai.usage.input_tokens": inputTokens + cacheReadTokens + cacheWriteTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "gen_ai.usage.cache_read.input_tokens": cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens,
    ...(costUsd === undefined ? {} : { "atomic.usage.cost_usd": costUsd }),
  };
}

/** The usage of a node or a run, under names of our own so that nobody adds it to the usage of its agents. */
export function totalUsageAttributes(usage: Usage): SpanAttributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  return {
    "atomic.usage.total_tokens": inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
    ...(costUsd === undefined ? {} : { "atomic.usage.total_cost_usd": costUsd }),
  };
}
