import type { ChatEntry } from "../chat/chat-entry.ts";
import { isShellRunning } from "../chat/shell-outcome.ts";

/** The conversation in two parts: what changes no more, and what may still change. */
export interface SplitEntries {
  readonly final: readonly ChatEntry[];
  readonly live: readonly ChatEntry[];
}

/**
 * Everything before the first entry in progress is final. What follows it is not, even if it has ended: it is below it on
 * the screen.
 */
export function splitEntries(entries: readonly ChatEntry[]): SplitEntries {
  const first = entries.findIndex(isInProgress);
  return first === -1 ? { final: entries, live: [] } : { final: entries.slice(0, first), live: entries.slice(first) };
}

function isInProgress(entry: ChatEntry): boolean {
  switch (entry.type) {
    case "text":
      return entry.isStreaming;
    case "thinking":
      return entry.endedAt === undefined;
    case "tool":
    case "subagent":
      return entry.status === "running";
    case "shell":
      return isShellRunning(entry);
    case "user":
    case "notice":
    case "turn-end":
      return false;
  }
}
