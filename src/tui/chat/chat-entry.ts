import type { PermissionRequest, TextPlace, ToolKind, Usage } from "../../contracts/index.ts";

/** One thing in the conversation, in the order in which it is shown. Texts of agents are not yet safe for a terminal. */
export type ChatEntry =
  | UserEntry
  | TextEntry
  | ThinkingEntry
  | ToolEntry
  | SubagentEntry
  | NoticeEntry
  | ShellEntry
  | TurnEndEntry;

interface EntryBase {
  /** Unique in the conversation, and never reused. */
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** A message of the user. */
export interface UserEntry extends EntryBase {
  readonly type: "user";
  readonly text: string;
  /** Short names of attached files and images. */
  readonly attachments: readonly string[];
  /** The pasted texts, which `text` has only the labels of. @default none */
  readonly pastes?: readonly { readonly label: string; readonly text: string }[];
  /** Whether it was sent into a turn in progress. */
  readonly isSteering: boolean;
}

/** A message as it was sent: with the pasted texts in place of their labels. */
export function wholeTextOf({ text, pastes = [] }: Pick<UserEntry, "text" | "pastes">): string {
  return pastes.reduce((whole, paste) => whole.replace(paste.label, () => paste.text), text);
}

/** Markdown that the agent wrote. */
export interface TextEntry extends EntryBase {
  readonly type: "text";
  readonly text: string;
  readonly isStreaming: boolean;
}

/** What the model thought. */
export interface ThinkingEntry extends EntryBase {
  readonly type: "thinking";
  readonly text: string;
  /** In milliseconds since 1970. Absent while it thinks. */
  readonly endedAt?: number;
}

/** A tool call. */
export interface ToolEntry extends EntryBase {
  readonly type: "tool";
  readonly toolId: string;
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly input: unknown;
  readonly status: "running" | "done" | "failed" | "denied";
  readonly output: string;
  /** The call as the permission gate saw it, with the change of an edit. Absent when nobody had to approve it. */
  readonly request?: PermissionRequest;
  /** Why it was denied. */
  readonly reason?: string;
  readonly endedAt?: number;
  /** Where the new texts of its changes are in their files, in the order of the changes. Null where that is not known. */
  readonly places?: readonly (TextPlace | null)[];
}

/** A sub-agent of the agent. */
export interface SubagentEntry extends EntryBase {
  readonly type: "subagent";
  readonly subagentId: string;
  readonly title: string;
  readonly subagentType?: string;
  readonly task?: string;
  readonly status: "running" | "done" | "failed";
  readonly result?: string;
  readonly endedAt?: number;
}

/** A line of Atomic itself: the result of a command, an error, a compaction. */
export interface NoticeEntry extends EntryBase {
  readonly type: "notice";
  readonly tone: "info" | "success" | "warning" | "error";
  readonly text: string;
  /** Whether the text is Markdown. */
  readonly isMarkdown: boolean;
}

/** A command that the user ran with `!`. */
export interface ShellEntry extends EntryBase {
  readonly type: "shell";
  readonly command: string;
  readonly output: string;
  /** Absent while it runs, and when it ended without one. */
  readonly exitCode?: number;
  /** How it ended without an exit code: something kept it from running, or the user stopped it. */
  readonly ending?: "not-run" | "stopped";
  readonly endedAt?: number;
}

/** The end of a turn, with what it cost. */
export interface TurnEndEntry extends EntryBase {
  readonly type: "turn-end";
  readonly outcome: "completed" | "aborted" | "failed";
  readonly durationMs: number;
  readonly usage: Usage;
}
