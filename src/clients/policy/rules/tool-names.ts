import { isToolName, type ToolKind, type ToolName } from "../../../contracts/index.ts";

/**
 * The agents' tools for each of Atomic's names, in the agents' spelling. Some give different models different tools. Agents
 * over ACP may name only the kind of a call, such as `execute`.
 */
const VENDOR_TOOLS: Readonly<Record<ToolName, string>> = {
  read: "Read NotebookRead read view read_text_file read_file read_many_files",
  write: "Write write create apply_patch write_text_file write_file edit_file",
  edit: "Edit NotebookEdit MultiEdit edit multiedit patch apply_patch str_replace_editor replace move delete write_text_file edit_file",
  bash: "Bash PowerShell bash read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell stop_powershell list_powershell shell terminal execute run_command run_shell_command",
  grep: "Grep grep rg search search_file_content grep_search",
  glob: "Glob glob search",
  // Claude Code lists folders with `Glob`, Copilot with `view`.
  list: "list Glob view search list_directory",
  webfetch: "WebFetch webfetch web_fetch fetch",
  websearch: "WebSearch websearch codesearch web_search google_web_search",
  task: "Agent Task task read_agent list_agents write_agent run_subagent",
  // Copilot keeps the list in the conversation's database.
  todo: "TodoWrite TaskCreate TaskGet TaskList TaskUpdate todowrite todoread update_todo write_todos sql",
  question: "AskUserQuestion question ask_user ask_question",
};

/** Other names that definitions use, in lower case: those of one vendor's tool, which another vendor calls differently. */
const OTHER_NAMES: ReadonlyMap<string, readonly ToolName[]> = new Map<string, readonly ToolName[]>(
  Object.entries({
    view: ["read"],
    notebookread: ["read"],
    create: ["write"],
    multiedit: ["edit"],
    patch: ["edit"],
    apply_patch: ["edit"],
    str_replace_editor: ["edit"],
    shell: ["bash"],
    execute: ["bash"],
    powershell: ["bash"],
    rg: ["grep"],
    search: ["grep", "glob"],
    ls: ["list"],
    fetch: ["webfetch"],
    web_fetch: ["webfetch"],
    web_search: ["websearch"],
    web: ["webfetch", "websearch"],
    agent: ["task"],
    todowrite: ["todo"],
    todoread: ["todo"],
    askuserquestion: ["question"],
    ask_user: ["question"],
  } as const),
);

// The cast is true: these are the keys of the record above.
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
  if (name === toolName.toLowerCase()) return true;
  // A server's tool may be named like one of the agent's.
  if (kind === "mcp") return false;
  const meant: readonly ToolName[] = isToolName(name) ? [name] : (OTHER_NAMES.get(name) ?? []);
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
