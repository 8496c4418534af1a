import { isToolName, type ToolKind, type ToolName } from "../../../contracts/index.ts";
import { COPILOT_TOOLS } from "./copilot-tool-table.ts";

/** The tools of Copilot's that each of Atomic's names stands for; those a system lacks do no harm. */
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

/** What a tool of Copilot's does. Tools of MCP servers and of Atomic are told apart elsewhere. */
export function toolKindOf(toolName: string): ToolKind {
  return COPILOT_TOOLS.get(toolName)?.kind ?? "other";
}

/** The filter that leaves a session only these tools of Copilot's own, and all MCP servers and custom tools. */
export function toAvailableTools(allowedTools: readonly string[]): readonly string[] {
  const names = allowedTools.flatMap((name) => (isToolName(name) ? VENDOR_NAMES[name] : [name]));
  return [...new Set(names.map((name) => `builtin:${name}`)), "mcp:*", "custom:*"];
}
