import { isToolName, type ToolKind, type ToolName } from "../../../contracts/index.ts";
import { CLAUDE_TOOLS } from "./claude-tool-table.ts";

/** The name under which Claude Code knows the tools that Atomic offers; it is no part of what a person sees. */
export const CUSTOM_TOOL_SERVER = "atomic-tools";

const CUSTOM_TOOL_PREFIX = `mcp__${CUSTOM_TOOL_SERVER}__`;

/** The tool through which Claude Code takes a structured answer; it is no tool of the agent's. */
export const STRUCTURED_OUTPUT_TOOL = "StructuredOutput";

/** The tool with which the agent asks a person. */
export const QUESTION_TOOL = "AskUserQuestion";

/** Claude Code's names of the tools that every agent has in some form. It lists folders with Bash. */
const VENDOR_NAMES: Readonly<Record<ToolName, readonly string[]>> = {
  read: ["Read"],
  write: ["Write"],
  edit: ["Edit", "NotebookEdit"],
  bash: ["Bash"],
  grep: ["Grep"],
  glob: ["Glob"],
  list: ["Glob"],
  webfetch: ["WebFetch"],
  websearch: ["WebSearch"],
  task: ["Agent"],
  todo: ["TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
  question: [QUESTION_TOOL],
};

/**
 * Tools that go on, or begin something, after the turn in which they were called. A turn of Atomic's is over when it is
 * over: nobody would hear what they do, or be asked for permission.
 */
export const TOOLS_BEYOND_THE_TURN: readonly string[] = [
  "CronCreate",
  "CronDelete",
  "CronList",
  "Monitor",
  "RemoteTrigger",
  "ScheduleWakeup",
  "Workflow",
];

/** What a tool of Claude Code does. */
export function toolKindOf(vendorName: string): ToolKind {
  return CLAUDE_TOOLS.get(vendorName)?.kind ?? (vendorName.startsWith("mcp__") ? "mcp" : "other");
}

/** Whether a tool needs nobody's leave. */
export function isQuietTool(vendorName: string): boolean {
  return CLAUDE_TOOLS.get(vendorName)?.isQuiet === true;
}

/** The name a person knows a tool by: Atomic's own tools without the server that carries them. */
export function displayedToolName(vendorName: string): string {
  return vendorName.startsWith(CUSTOM_TOOL_PREFIX) ? vendorName.slice(CUSTOM_TOOL_PREFIX.length) : vendorName;
}

/** The names under which Claude Code offers the allowed tools; names that are not Atomic's pass unchanged. */
export function toVendorTools(allowedTools: readonly string[]): string[] {
  return [...new Set(allowedTools.flatMap((name) => (isToolName(name) ? VENDOR_NAMES[name] : [name])))];
}
