import type { ToolKind } from "../../../../contracts/index.ts";

/** What one of Copilot's own tools means to a policy. */
export interface CopilotToolEntry {
  readonly kind: ToolKind;
  /** Changes and reveals nothing outside the conversation, so it needs no approval if no rule matches. */
  readonly isQuiet: boolean;
}

/** The version of the runtime that the table was read from; a test compares the installed one. */
export const TOOL_TABLE_VERSION = "1.0.85";

const NAMES: Readonly<Record<ToolKind, { readonly asked: readonly string[]; readonly quiet: readonly string[] }>> = {
  read: {
    asked: ["view", "grep", "rg", "glob"],
    // The texts of skills, from the configured folders.
    quiet: ["skill"],
  },
  edit: { asked: ["create", "edit", "apply_patch", "str_replace_editor"], quiet: [] },
  shell: {
    // Those named write_… type into a running command, which may be a shell.
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
      // Other conversations, and data stored for them.
      "session_store_sql",
      "store_memory",
      "vote_memory",
      "read_memories",
      "context_board",
      // Code of extensions, and actions in the user's name.
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
      // The conversation's database; Copilot rejects ATTACH, VACUUM INTO and extensions.
      "sql",
      "task_complete",
      "tool_search_tool",
      "update_todo",
    ],
  },
};

/** All of Copilot's own tools, by name. A tool that is neither listed nor from an MCP server is `other`: it requires approval. */
export const COPILOT_TOOLS: ReadonlyMap<string, CopilotToolEntry> = new Map(
  // The cast is true: the keys are those of a record of all kinds.
  (Object.entries(NAMES) as [ToolKind, (typeof NAMES)[ToolKind]][]).flatMap(([kind, { asked, quiet }]) => [
    ...asked.map((name): [string, CopilotToolEntry] => [name, { kind, isQuiet: false }]),
    ...quiet.map((name): [string, CopilotToolEntry] => [name, { kind, isQuiet: true }]),
  ]),
);
