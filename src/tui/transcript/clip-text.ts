import { safeText, simplifyEmoji } from "../../view/index.ts";

/** How much of a text is kept. */
export interface ClipOptions {
  readonly maxLines: number;
  readonly maxCharacters: number;
  /** Which part is kept. @default "start" */
  readonly keep?: "start" | "end";
  /**
   * For the end of a text that grows: its start moves by a sixth of the limits at once, not with each line, so that what is
   * drawn already can stay. @default false
   */
  readonly inSteps?: boolean;
  /**
   * Whether a carriage return drops what is before it in its line, as in a terminal. Else it is a line break, so that an
   * answer hides nothing. @default false
   */
  readonly isOverwritten?: boolean;
}

/** A text that is short enough to be shown, safe for a terminal. */
export interface ClippedText {
  readonly lines: readonly string[];
  /** What is missing: `120 lines`, `1.2 MB`. Undefined when nothing is. */
  readonly hidden: string | undefined;
  /** Where the line with the first one begins in the text, in UTF-16 units. */
  readonly start: number;
}

/** The start or the end of a text, in lines. Makes no more of it safe than it keeps, however long it is. */
export function clipText(text: string, options: ClipOptions): ClippedText {
  const { maxLines, maxCharacters, keep = "start", inSteps = false, isOverwritten = false } = options;
  const isLong = text.length > maxCharacters;
  const from = keep === "start" ? 0 : startOfEnd(text.length, { max: maxCharacters, inSteps });
  const part = isLong ? text.slice(from, from + maxCharacters) : text;
  const { lines, missingLines, skipped } =
    keep === "start"
      ? firstLines(part, { max: maxLines, isOverwritten })
      : lastLines(part, { max: maxLines, inSteps, isOverwritten });
  const start = from + skipped;
  if (isLong) {
    const shown = lines.reduce((sum, line) => sum + line.length + 1, 0);
    return { lines, hidden: formatBytes(Math.max(1, text.length - shown)), start };
  }
  const hidden = missingLines === 0 ? undefined : missingLines === 1 ? "1 line" : `${missingLines} lines`;
  return { lines, hidden, start };
}

/** Lines of a text, how many are missing, and how many characters are before the first one. */
interface KeptLines {
  readonly lines: readonly string[];
  readonly missingLines: number;
  readonly skipped: number;
}

/** What is kept of a text, as in {@link ClipOptions}. */
interface LineLimits {
  readonly max: number;
  readonly isOverwritten: boolean;
}

function firstLines(text: string, { max, isOverwritten }: LineLimits): KeptLines {
  const all = splitLines(text, isOverwritten);
  return { lines: all.slice(0, max), missingLines: Math.max(0, all.length - max), skipped: 0 };
}

function lastLines(
  text: string,
  { max, inSteps, isOverwritten }: LineLimits & { readonly inSteps: boolean },
): KeptLines {
  const end = text.trimEnd().length;
  const count = countLines(text.slice(0, end));
  const first = startOfEnd(count, { max, inSteps });
  let skipped = first === 0 ? 0 : end;
  for (let line = count; line > first && first > 0; line--) skipped = text.lastIndexOf("\n", skipped - 1);
  if (first > 0) skipped += 1;
  const all = splitLines(text.slice(skipped), isOverwritten);
  // One line of the text can be several.
  const lines = all.slice(startOfEnd(all.length, { max, inSteps }));
  return { lines, missingLines: first + all.length - lines.length, skipped };
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Where the last `max` of so many begin, or fewer when the start moves in steps. */
function startOfEnd(count: number, { max, inSteps }: { readonly max: number; readonly inSteps: boolean }): number {
  const step = inSteps ? Math.max(1, Math.floor(max / 6)) : 1;
  return Math.max(0, Math.ceil((count - max) / step) * step);
}

/** A line without what a terminal would overwrite with what follows a return. */
function withoutOverwritten(line: string): string {
  const end = line.endsWith("\r") ? line.slice(0, -1) : line;
  return end.slice(end.lastIndexOf("\r") + 1);
}

/** The safe lines of a text, without empty ones at its end. */
function splitLines(text: string, isOverwritten: boolean): readonly string[] {
  const shown = isOverwritten ? text.split("\n").map(withoutOverwritten).join("\n") : text;
  // A cut between the halves of a character leaves one of them.
  const lines = simplifyEmoji(safeText(shown.toWellFormed())).replaceAll("\t", "  ").split("\n");
  const end = lines.findLastIndex((line) => line.trim() !== "");
  return lines.slice(0, end + 1);
}

/** `980 B`, `12.4 kB`, `1.2 MB`. */
function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  return count < 999_950 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
