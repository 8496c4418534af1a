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
}

/** A text that is short enough to be shown, safe for a terminal. */
export interface ClippedText {
  readonly lines: readonly string[];
  /** What is missing: `120 lines`, `1.2 MB`. Undefined when nothing is. */
  readonly hidden: string | undefined;
}

/** The start or the end of a text, in lines. Never looks at more of it than it keeps, however long it is. */
export function clipText(text: string, options: ClipOptions): ClippedText {
  const { maxLines, maxCharacters, keep = "start", inSteps = false } = options;
  const isLong = text.length > maxCharacters;
  const part =
    keep === "start"
      ? text.slice(0, maxCharacters)
      : text.slice(startOfEnd(text.length, { max: maxCharacters, inSteps }));
  // A cut between the halves of a character leaves one of them.
  const all = splitLines((isLong ? part : text).toWellFormed());
  const lines =
    keep === "start" ? all.slice(0, maxLines) : all.slice(startOfEnd(all.length, { max: maxLines, inSteps }));
  const missingLines = all.length - lines.length;
  if (isLong) {
    const shown = lines.reduce((sum, line) => sum + line.length + 1, 0);
    return { lines, hidden: formatBytes(Math.max(1, text.length - shown)) };
  }
  return { lines, hidden: missingLines === 0 ? undefined : missingLines === 1 ? "1 line" : `${missingLines} lines` };
}

/** Where the last `max` of so many begin, or fewer when the start moves in steps. */
function startOfEnd(count: number, { max, inSteps }: { readonly max: number; readonly inSteps: boolean }): number {
  const step = inSteps ? Math.max(1, Math.floor(max / 6)) : 1;
  return Math.max(0, Math.ceil((count - max) / step) * step);
}

/** The safe lines of a text, without empty ones at its end. What a carriage return overwrites is gone. */
function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => {
    const end = line.endsWith("\r") ? line.slice(0, -1) : line;
    return simplifyEmoji(safeText(end.slice(end.lastIndexOf("\r") + 1))).replaceAll("\t", "  ");
  });
  // A line separator of Unicode becomes a line break.
  const split = lines.flatMap((line) => line.split("\n"));
  const end = split.findLastIndex((line) => line.trim() !== "");
  return split.slice(0, end + 1);
}

/** `980 B`, `12.4 kB`, `1.2 MB`. */
function formatBytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  return count < 999_950 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
