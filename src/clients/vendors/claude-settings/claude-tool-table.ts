import type { ToolKind } from "../../../contracts/index.ts";

/** What one of Claude Code's tools does. */
export interface ClaudeTool {
  readonly kind: ToolKind;
  /** Changes and reveals nothing outside the conversation, so it needs no approval. @default false */
  readonly isQuiet?: boolean;
}

/** How many tools Claude Code 2.1.330 registers, whose tools the table lists, including those that only its own apps and services offer. */
export const REGISTERED_TOOL_COUNT = 101;

const QUIET: ClaudeTool = { kind: "other", isQuiet: true };

/** Every tool of Claude Code whose kind is known, including those of older versions. */
const KNOWN: Readonly<Record<string, ClaudeTool>> = {
  // Files
  Read: { kind: "read" },
  Glob: { kind: "read" },
  Grep: { kind: "read" },
  NotebookRead: { kind: "read" },
  Write: { kind: "edit" },
  Edit: { kind: "edit" },
  MultiEdit: { kind: "edit" },
  NotebookEdit: { kind: "edit" },
  // Commands
  Bash: { kind: "shell" },
  PowerShell: { kind: "shell" },
  Monitor: { kind: "shell" },
  // The network
  WebFetch: { kind: "fetch" },
  WebSearch: { kind: "fetch" },
  // Agents; a message may go to another session of Claude Code
  Agent: { kind: "agent" },
  Task: { kind: "agent" },
  SendMessage: { kind: "agent" },
  Workflow: { kind: "agent" },
  // MCP servers
  ListMcpResourcesTool: { kind: "mcp" },
  ReadMcpResourceTool: { kind: "mcp" },
  ReadMcpResourceDirTool: { kind: "mcp" },
  McpTaskResumePolling: { kind: "mcp" },
  RefreshMcpTools: { kind: "mcp" },
  WaitForMcpServers: { kind: "mcp", isQuiet: true },
  // The conversation itself
  EnterPlanMode: QUIET,
  ExitPlanMode: QUIET,
  ReportFindings: QUIET,
  StructuredOutput: QUIET,
  SubagentHandback: QUIET,
  TaskCreate: QUIET,
  TaskGet: QUIET,
  TaskList: QUIET,
  TaskStop: QUIET,
  TaskUpdate: QUIET,
  KillShell: QUIET,
  TodoWrite: QUIET,
  ToolSearch: QUIET,
};

/**
 * Tools with other effects: they start programs (`LSP` a language server, `EnterWorktree` git's hooks, `Skill` what the
 * skill says), reach other sessions, the user's account or a device, outlive the turn, or show the output of a running
 * command.
 */
const OTHERS =
  "AppifactRepl Artifact ArtifactCheck ArtifactComments ArtifactData AskUserQuestion BashOutput ClaudeDesign CronCreate CronDelete CronList DeferredToolPlaceholder DesignSync EndConversation EnterWorktree ExitWorktree FetchInboxMessage GetGoal GetTask LSP ListAgents ListConnectors ListProjectAgents ObserverReport OfferChromeSetup PauseGoal PlaceFiles Poll Projects PublishPlugin PushNotification REPL ReadNotifications ReadWidgetContext RemoteTrigger ScheduleWakeup SearchMcpRegistry SendFeedback SendFile SendToProject SendToProjectContext SendUserFile SendUserMessage SetGoal ShareOnboardingGuide ShowOnboardingRolePicker Skill SlashCommand SuggestConnectors TaskOutput WrapUp memory_list memory_read memory_write propose_skills request_computer self_hosted_runner_get_pool self_hosted_runner_list_runners self_hosted_runner_list_secrets self_hosted_runner_list_sessions self_hosted_runner_read_health self_hosted_runner_read_metrics self_hosted_runner_requeue_session self_hosted_runner_spawn_local self_hosted_runner_tail_log";

/** Every tool of Claude Code, by name. A missing one is of the kind `other` and requires approval. */
export const CLAUDE_TOOLS: ReadonlyMap<string, ClaudeTool> = new Map([
  ...Object.entries(KNOWN),
  ...OTHERS.split(" ").map((name): [string, ClaudeTool] => [name, { kind: "other" }]),
]);
