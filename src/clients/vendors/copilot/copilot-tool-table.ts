import type { ToolKind } from "../../../contracts/index.ts";

/** What a tool of Copilot's own is to a policy. */
export interface CopilotToolEntry {
  readonly kind: ToolKind;
  /** It changes and reveals nothing outside of the conversation, so it needs no approval where no rule matches. */
  readonly isQuiet: boolean;
}

/** The runtime that the table was read from; the test asks the installed one for its tools. */
export const TOOL_TABLE_VERSION = "1.0.85";

const NAMES: Readonly<Record<ToolKind, { readonly asked: readonly string[]; readonly quiet: readonly string[] }>> = {
  read: {
    asked: ["view", "grep", "rg", "glob"],
    // The texts of skills, from the folders that Copilot was told of.
    quiet: ["skill"],
  },
  edit: { asked: ["create", "edit", "apply_patch", "str_replace_editor"], quiet: [] },
  shell: {
    // Those named write_… type into a command that is running, which may be a shell.
    asked: ["bash", "powershell", "write_bash", "write_powershell"],
    quiet: ["read_bash", "stop_bash", "list_bash", "read_powershell", "stop_powershell", "list_powershell"],
  },
  fetch: { asked: ["web_fetch", "web_search", "catalog_search"], quiet: [] },
  mcp: { asked: [], quiet: [] },
  agent: {
    asked: ["task", "write_agent", "execution_subagent", "search_code_subagent", "run_factory"],
    quiet: ["read_agent", "list_agents"],
  },
  other: {
    asked: [
      // A language server is a program, and `rename` changes files.
      "lsp",
      // Other conversations, and what is kept for them.
      "session_store_sql",
      "store_memory",
      "vote_memory",
      "read_memories",
      "context_board",
      // Code of extensions, and what acts in the user's name.
      "open_canvas",
      "invoke_canvas_action",
      "extensions_reload",
      "extensions_manage",
      "factories_manage",
      "manage_schedule",
      "create_pull_request",
      "reply_to_comment",
      "report_progress",
      "advisor",
    ],
    quiet: [
      "ask_user",
      "exit_plan_mode",
      "fetch_copilot_cli_documentation",
      "generic_tool_search",
      "get_context_remaining",
      "list_canvas_capabilities",
      "new_context",
      "read_inbox",
      "report_intent",
      "send_inbox",
      "session_artifacts",
      "session_history",
      // The database of the conversation; Copilot refuses ATTACH, VACUUM INTO and extensions.
      "sql",
      "task_complete",
      "tool_search_tool",
      "update_todo",
    ],
  },
};

/** Every tool of Copilot's own, by its name. What is not among them, and of no MCP server, is `other` and asked. */
export const COPILOT_TOOLS: ReadonlyMap<string, CopilotToolEntry> = new Map(
  // The cast is true: the keys are those of a record of all kinds.
  (Object.entries(NAMES) as [ToolKind, (typeof NAMES)[ToolKind]][]).flatMap(([kind, { asked, quiet }]) => [
    ...asked.map((name): [string, CopilotToolEntry] => [name, { kind, isQuiet: false }]),
    ...quiet.map((name): [string, CopilotToolEntry] => [name, { kind, isQuiet: true }]),
  ]),
);
