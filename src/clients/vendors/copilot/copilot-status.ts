import { type ContextUsage, countOf, type McpServerStatus, recordOf, stringOf } from "../../../contracts/index.ts";

const STATUSES: Readonly<Record<string, McpServerStatus["status"]>> = {
  connected: "connected",
  pending: "connecting",
  failed: "failed",
  "needs-auth": "needs-sign-in",
  disabled: "disabled",
  stopped: "disabled",
  not_configured: "disabled",
};

/** Parses an item of `mcp.list`. Pure. */
export function toMcpServerStatus(raw: unknown): McpServerStatus {
  const { name, status, error } = recordOf(raw);
  const detail = stringOf(error);
  return {
    name: stringOf(name),
    status: STATUSES[stringOf(status)] ?? "failed",
    ...(detail === "" ? {} : { detail }),
  };
}

/** The tokens of the system prompt and the tools; 0 before the first message. Pure. */
export function toSystemToolsTokens(raw: unknown): number {
  const { systemTokens, toolDefinitionsTokens } = recordOf(raw);
  return countOf(systemTokens) + countOf(toolDefinitionsTokens);
}

/** Parses the result of `metadata.contextInfo`; all values are 0 before the first message. Pure. */
export function toContextUsage(raw: unknown): ContextUsage {
  const info = recordOf(raw);
  const usedTokens = countOf(info.totalTokens);
  const maxTokens = countOf(info.promptTokenLimit) || countOf(info.limit);
  return { usedTokens, maxTokens, fraction: maxTokens === 0 ? 0 : Math.min(1, usedTokens / maxTokens) };
}
