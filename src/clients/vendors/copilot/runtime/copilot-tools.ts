import type { ToolKind } from "../../../../contracts/index.ts";
import { offeredTools, type ToolLimits } from "../../../policy/rules/tool-list.ts";
import { COPILOT_TOOLS } from "./copilot-tool-table.ts";

/** The kind of one of Copilot's own tools; tools of MCP servers and of Atomic are handled elsewhere. */
export function toolKindOf(toolName: string): ToolKind {
  return COPILOT_TOOLS.get(toolName)?.kind ?? "other";
}

/** The filter for Copilot's own tools; undefined where nothing limits them. All MCP servers and custom tools pass it. */
export function toAvailableTools(limits: ToolLimits): readonly string[] | undefined {
  const names = offeredTools(limits, COPILOT_TOOLS);
  return names === undefined ? undefined : [...names.map((name) => `builtin:${name}`), "mcp:*", "custom:*"];
}
