import type { Usage } from "../../contracts/index.ts";
import type { SpanAttributes } from "../model/telemetry-port.ts";

/**
 * Names that other programs understand, from OpenTelemetry's semantic conventions for generative AI (version 1.41,
 * status "development": opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans). What the conventions have no
 * name for begins with `atomic.`
 */
export const OPERATION_NAME = "gen_ai.operation.name";
export const WORKFLOW_NAME = "gen_ai.workflow.name";
export const AGENT_NAME = "gen_ai.agent.name";
export const CONVERSATION_ID = "gen_ai.conversation.id";
export const TOOL_NAME = "gen_ai.tool.name";
export const TOOL_CALL_ID = "gen_ai.tool.call.id";
export const ERROR_TYPE = "error.type";
export const PROCESS_EXIT_CODE = "process.exit.code";

/** What an agent used up, in the conventions' words: their input counts what came from and went to a cache. */
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

/** What was used up within a node or a run, under other names, so that nobody adds it to what its agents tell. */
export function totalUsageAttributes(usage: Usage): SpanAttributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  return {
    "atomic.usage.total_tokens": inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
    ...(costUsd === undefined ? {} : { "atomic.usage.total_cost_usd": costUsd }),
  };
}
