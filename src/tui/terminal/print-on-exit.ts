import type { ChatEntry } from "../chat/chat-entry.ts";

/** Settings of {@link formatEnding}. */
export interface EndingOptions {
  readonly columns: number;
  readonly rows: number;
  /** The lines of an entry, safe for a terminal and no wider than the columns. */
  readonly formatEntry: (entry: ChatEntry, columns: number) => readonly string[];
  /** Whether an empty line separates two entries. @default always */
  readonly hasGapBefore?: (previous: ChatEntry | undefined, entry: ChatEntry) => boolean;
  /** What the person wrote, and the agent has not received. @default nothing */
  readonly unsent?: readonly string[];
  /** The command that continues the conversation. Undefined when nothing can. */
  readonly continueCommand?: string | undefined;
  /** The sign for what is left out. @default "…" */
  readonly ellipsis?: string;
}

/** How much of the conversation remains on the normal screen, in screens. */
const SCREENS = 2;

/** The indentation of the conversation, as in full screen. */
const INDENT = "  ";

/**
 * What the normal screen shows after the full screen has closed: the end of the conversation, about two screens, and how to
 * continue it. Empty when nothing was said.
 */
export function formatEnding(entries: readonly ChatEntry[], options: EndingOptions): string {
  const { continueCommand, unsent = [] } = options;
  const conversation = lastLines(entries, options);
  const hint = continueCommand === undefined ? [] : [continueLine(continueCommand)];
  const parts = [conversation, unsent, hint].filter((lines) => lines.length > 0);
  return parts.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

/** How to continue the conversation. */
export function continueLine(command: string): string {
  return `To continue this conversation: ${command}`;
}

function lastLines(entries: readonly ChatEntry[], options: EndingOptions): readonly string[] {
  const { rows, columns, formatEntry, hasGapBefore = () => true, ellipsis = "…" } = options;
  const maxLines = Math.max(1, rows * SCREENS);
  const parts: (readonly string[])[] = [];
  let count = 0;
  let index = entries.length - 1;
  for (; index >= 0 && count < maxLines; index--) {
    const entry = entries[index];
    if (entry === undefined) continue;
    const lines = formatEntry(entry, Math.max(1, columns - INDENT.length));
    const hasGap = lines.length > 0 && index > 0 && hasGapBefore(entries[index - 1], entry);
    const part = hasGap ? ["", ...lines] : lines;
    parts.push(part);
    count += part.length;
  }
  const all = parts.toReversed().flat();
  const isCut = index >= 0 || all.length > maxLines;
  const kept = all.slice(-maxLines);
  const shown = kept.slice(kept.findIndex((line) => line !== ""));
  const indented = shown.map((line) => (line === "" ? "" : INDENT + line));
  return isCut ? [`${INDENT}${ellipsis}`, ...indented] : indented;
}
