import { columnsOf, padColumns, safeText } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { FileDiff } from "./file-diff.ts";
import type { DiffLine } from "./parse-patch-text.ts";
import { type TranscriptLine, wrapColumns } from "./transcript-line.ts";

/** How a diff is shown. */
export interface DiffLayout {
  readonly columns: number;
  readonly glyphs: Glyphs;
  /** @default no limit */
  readonly maxLines?: number;
  /** Whether the file's name is above its lines. @default false */
  readonly hasName?: boolean;
}

const SIGNS = { added: "+", removed: "-", context: " ", gap: " " } as const;
const TONES = { added: "added", removed: "removed", context: "text", gap: "muted" } as const;

/** The longest line of a file that is shown, in characters. */
const MAX_LENGTH = 2_000;

/** The lines of a diff: number, sign, text. Changed lines fill the width, for their background. */
export function diffToLines(diff: FileDiff, layout: DiffLayout): readonly TranscriptLine[] {
  const { columns, glyphs, maxLines = Number.POSITIVE_INFINITY, hasName = false } = layout;
  const numberColumns = Math.max(0, ...diff.lines.map(({ number }) => String(number ?? "").length));
  const shown = diff.lines.slice(0, maxLines).flatMap((line) => {
    const number = String(line.number ?? "").padStart(numberColumns);
    if (line.type === "gap") {
      return [
        {
          text: `${" ".repeat(numberColumns)} ${glyphs.ellipsis}`.trimStart().padStart(numberColumns + 1),
          tone: "muted",
        } as const,
      ];
    }
    return lineToLines(diff, line, { start: numberColumns === 0 ? "" : `${number} `, columns });
  });
  const left = diff.lines.length - maxLines;
  const rest = left > 0 ? [{ text: `${glyphs.ellipsis} ${left} more`, tone: "muted" } as const] : [];
  const name = hasName ? [{ text: safeText(diff.path).replaceAll("\n", " "), tone: "muted" } as const] : [];
  return [...name, ...shown, ...rest];
}

function lineToLines(
  { path }: FileDiff,
  { type, number, text }: DiffLine,
  { start, columns }: { readonly start: string; readonly columns: number },
): readonly TranscriptLine[] {
  const safe = safeText(text.slice(0, MAX_LENGTH).toWellFormed()).replaceAll("\t", "  ").replaceAll("\n", " ");
  const signed = `${start}${SIGNS[type]} `;
  const change = { path, text, isRemoved: type === "removed", ...(number === undefined ? {} : { number }) };
  const indent = " ".repeat(columnsOf(signed));
  return wrapColumns(safe, Math.max(8, columns - columnsOf(signed))).map((part, index) => {
    const line = (index === 0 ? signed : indent) + part;
    return { text: type === "context" ? line.trimEnd() : padColumns(line, columns), tone: TONES[type], change };
  });
}
