/** A vendor whose files of hooks Atomic reads. */
export type HookVendor = "claude" | "copilot" | "opencode";

/** The shape of what a hook receives and answers. Copilot's files may contain hooks in Claude Code's. */
export type HookShape = "claude" | "copilot";

/** A command that a user's file registers for an event of an agent. */
export interface HookCommand {
  readonly type: "command";
  readonly vendor: HookVendor;
  readonly shape: HookShape;
  /** The vendor's own name of the event, such as `PreToolUse`. */
  readonly event: string;
  /** `project`: runs only in a trusted project. */
  readonly source: "user" | "project";
  readonly filePath: string;
  /** Where the hook is in its file, counted from 1. */
  readonly line: number;
  /** For which tools, or other values of the event. @default all */
  readonly matcher?: string;
  /** A line for the shell; with `args`, the program. */
  readonly command: string;
  /** The program's arguments. @default none: the command is a line for the shell */
  readonly args?: readonly string[];
  readonly shell: "sh" | "bash" | "powershell";
  /** The working directory, absolute or relative to the session's. @default the session's */
  readonly directory?: string;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** After this long, in milliseconds, its process group is ended. */
  readonly timeoutMs: number;
  /** Whether nobody waits for it. */
  readonly isAsync: boolean;
  /** Whether a hook that cannot start, times out or fails blocks what it is called for. */
  readonly blocksOnFailure: boolean;
}

/** A module whose exports are OpenCode's plugins. */
export interface HookPlugin {
  readonly type: "plugin";
  readonly vendor: "opencode";
  readonly source: "user" | "project";
  readonly filePath: string;
}

/** A hook that a user already has, for one vendor's agent. */
export type UserHook = HookCommand | HookPlugin;

/** The events of Claude Code for which Atomic runs hooks, with any agent. */
export const CLAUDE_HOOK_EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "StopFailure",
  "PreCompact",
  "PostCompact",
] as const;

/** Claude Code's other events: nothing that happens in all agents. */
export const OTHER_CLAUDE_HOOK_EVENTS: readonly string[] = [
  "ConfigChange",
  "CwdChanged",
  "DirectoryAdded",
  "Elicitation",
  "ElicitationResult",
  "FileChanged",
  "InstructionsLoaded",
  "MessageDisplay",
  "PermissionDenied",
  "PostModelSwitch",
  "PostToolBatch",
  "PreModelSwitch",
  "Setup",
  "TaskCompleted",
  "TaskCreated",
  "TeammateIdle",
  "UserPromptExpansion",
  "WorktreeCreate",
  "WorktreeRemove",
];

/** The events of Copilot for which Atomic runs hooks, with any agent. */
export const COPILOT_HOOK_EVENTS = [
  "sessionStart",
  "sessionEnd",
  "userPromptSubmitted",
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "permissionRequest",
  "notification",
  "subagentStart",
  "subagentStop",
  "agentStop",
  "errorOccurred",
  "preCompact",
] as const;

/** An event of Claude Code for which Atomic runs hooks. */
export type ClaudeHookEvent = (typeof CLAUDE_HOOK_EVENTS)[number];

/** An event of Copilot for which Atomic runs hooks. */
export type CopilotHookEvent = (typeof COPILOT_HOOK_EVENTS)[number];

/** The hooks of OpenCode's plugins that Atomic calls, with any agent. */
export const PLUGIN_HOOKS = [
  "event",
  "chat.message",
  "permission.ask",
  "tool.execute.before",
  "tool.execute.after",
] as const;

/** A hook of a plugin that Atomic calls. */
export type PluginHook = (typeof PLUGIN_HOOKS)[number];
