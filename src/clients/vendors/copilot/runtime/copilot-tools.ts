import { isToolName, type ToolKind, type ToolName } from "../../../../contracts/index.ts";
import { COPILOT_TOOLS } from "./copilot-tool-table.ts";

/** Copilot's tools for each of Atomic's names; tools that a system does not have are ignored. */
const VENDOR_NAMES: Readonly<Record<ToolName, readonly string[]>> = {
  read: ["view"],
  write: ["create"],
  edit: ["edit", "apply_patch"],
  bash: ["bash", "read_bash", "write_bash", "stop_bash", "list_bash"],
  grep: ["grep", "rg"],
  glob: ["glob"],
  list: ["view"],
  webfetch: ["web_fetch"],
  websearch: ["web_search"],
  task: ["task", "read_agent", "list_agents", "write_agent"],
  todo: ["sql"],
  question: ["ask_user"],
};

/** The kind of one of Copilot's own tools; tools of MCP servers and of Atomic are handled elsewhere. */
export function toolKindOf(toolName: string): ToolKind {
  return COPILOT_TOOLS.get(toolName)?.kind ?? "other";
}

/** The filter that allows only these of Copilot's own tools, and all MCP servers and custom tools. */
export function toAvailableTools(allowedTools: readonly string[]): readonly string[] {
  const names = allowedTools.flatMap((name) => (isToolName(name) ? VENDOR_NAMES[name] : [name]));
  return [...new Set(names.map((name) => `builtin:${name}`)), "mcp:*", "custom:*"];
}
