import type { ChatEntry, TextEntry } from "../chat/chat-entry.ts";
import { isShellRunning } from "../chat/shell-outcome.ts";
import { finishedLength } from "../transcript/markdown-to-lines.ts";

/** The conversation in two parts: what changes no more, and what may still change. */
export interface SplitEntries {
  readonly final: readonly ChatEntry[];
  readonly live: readonly ChatEntry[];
}

/**
 * Everything before the first entry in progress is final. What follows it is not, even if it has ended: it is below it on
 * the screen. If that entry is an answer, its first characters are final, too: as many as `placeIn` returns.
 */
export function splitEntries(entries: readonly ChatEntry[], placeIn: (answer: TextEntry) => number): SplitEntries {
  const first = entries.findIndex(isInProgress);
  const entry = entries[first];
  if (entry === undefined) return { final: entries, live: [] };
  const before = entries.slice(0, first);
  const place = entry.type === "text" ? placeIn(entry) : 0;
  if (entry.type !== "text" || place === 0) return { final: before, live: entries.slice(first) };
  return {
    final: [...before, { ...entry, text: entry.text.slice(0, place) }],
    live: [{ ...entry, text: entry.text.slice(place) }, ...entries.slice(first + 1)],
  };
}

/**
 * Where the part of an answer begins that can still change. It has at least one line: otherwise the input would move up and
 * down again after each paragraph. The empty lines before it belong to it.
 */
export function finishedPlace({ text }: TextEntry): number {
  const shown = text.trimEnd();
  const finished = shown.slice(0, finishedLength(shown)).trimEnd();
  if (finished === "") return 0;
  const lineBreak = /\s*?(?:\r\n|[\r\n\u2028\u2029])/y;
  lineBreak.lastIndex = finished.length;
  return lineBreak.test(text) ? lineBreak.lastIndex : 0;
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
