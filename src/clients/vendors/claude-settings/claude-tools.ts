import type { ToolKind } from "../../../contracts/index.ts";
import { offeredTools, type ToolLimits } from "../../policy/rules/tool-list.ts";
import { CLAUDE_TOOLS } from "./claude-tool-table.ts";

/** The server name under which Claude Code knows Atomic's tools; people never see it. */
export const CUSTOM_TOOL_SERVER = "atomic-tools";

const CUSTOM_TOOL_PREFIX = `mcp__${CUSTOM_TOOL_SERVER}__`;

/** The tool through which Claude Code takes a structured answer; not one of the agent's tools. */
export const STRUCTURED_OUTPUT_TOOL = "StructuredOutput";

/** The tool with which the agent asks a person. */
export const QUESTION_TOOL = "AskUserQuestion";

/**
 * Tools that continue, or start something, after the turn in which they were called. After a turn ends, Atomic neither
 * receives their events nor answers their permission requests.
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

/** Whether a tool needs no approval. */
export function isQuietTool(vendorName: string): boolean {
  return CLAUDE_TOOLS.get(vendorName)?.isQuiet === true;
}

/** The tool's name for people: Atomic's own tools without their server's name. */
export function displayedToolName(vendorName: string): string {
  return vendorName.startsWith(CUSTOM_TOOL_PREFIX) ? vendorName.slice(CUSTOM_TOOL_PREFIX.length) : vendorName;
}

/** The tools that Claude Code offers; undefined where nothing limits them. */
export function toVendorTools(limits: ToolLimits): string[] | undefined {
  const offered = offeredTools(limits, CLAUDE_TOOLS);
  return offered === undefined ? undefined : [...offered];
}
