/**
 * Atomic's names of the tools that every coding agent has in some form. Each client translates them to its vendor's
 * names.
 */
export const TOOL_NAMES = [
  "read",
  "write",
  "edit",
  "bash",
  "grep",
  "glob",
  "list",
  "webfetch",
  "websearch",
  "task",
  "todo",
  "question",
] as const;

/** A tool's name that means the same for every agent. */
export type ToolName = (typeof TOOL_NAMES)[number];

/** Whether a name is one of Atomic's tool names. */
export function isToolName(name: string): name is ToolName {
  const names: readonly string[] = TOOL_NAMES;
  return names.includes(name);
}
