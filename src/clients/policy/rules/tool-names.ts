import { isToolName, meaningsOf, type ToolKind, type ToolName, VENDOR_TOOLS } from "../../../contracts/index.ts";

// The cast is true: these are the keys of the record.
const STANDARD_NAMES: ReadonlyMap<string, readonly ToolName[]> = invert(
  Object.entries(VENDOR_TOOLS) as [ToolName, string][],
);

/** Tools that carry the agent's answer or find other tools. No list of tools applies to them. */
const MACHINERY: ReadonlySet<string> = new Set(
  "StructuredOutput ToolSearch SubagentHandback invalid report_intent task_complete tool_search_tool generic_tool_search".split(
    " ",
  ),
);

/** An agent's tool, by the agent's own name. */
export interface NamedTool {
  readonly toolName: string;
  readonly kind: ToolKind;
}

/** Whether a tool belongs to the agent's own machinery. */
export function isMachinery({ toolName, kind }: NamedTool): boolean {
  return kind !== "mcp" && MACHINERY.has(toolName);
}

/** Whether a name in a list of tools, in lower case, means one of the agent's own tools. */
export function isNameOf(name: string, { toolName, kind }: NamedTool): boolean {
  const tool = toolName.toLowerCase();
  if (name === tool) return true;
  // A server's tool may be named like one of the agent's.
  if (kind === "mcp") return false;
  const meant = meaningsOf(name);
  // Some names mean a single tool of one vendor.
  if (!isToolName(tool) && meant.includes(tool)) return true;
  const standard = STANDARD_NAMES.get(toolName) ?? [];
  // OpenCode's `execute` runs no command.
  return standard.some((one) => meant.includes(one) && (one !== "bash" || kind === "shell"));
}

function invert(entries: readonly (readonly [ToolName, string])[]): ReadonlyMap<string, readonly ToolName[]> {
  const inverted = new Map<string, readonly ToolName[]>();
  for (const [standard, tools] of entries) {
    for (const tool of tools.split(" ")) inverted.set(tool, [...(inverted.get(tool) ?? []), standard]);
  }
  return inverted;
}
