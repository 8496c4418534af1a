import { columnsOf, padColumns, wrapWords } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { parseInline } from "./markdown-inline.ts";
import { type TranscriptLine, wrapColumns } from "./transcript-line.ts";

/** The line below the heads of a table. */
const RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** The space between columns. */
const GAP = "  ";

/** The narrowest column in which words are wrapped. */
const MIN_COLUMN = 4;

/** How many lines from one on are a table. 0 when it does not start one. */
export function tableLength(lines: readonly string[], from: number): number {
  const [head, rule] = [lines[from], lines[from + 1]];
  if (head?.includes("|") !== true || rule?.includes("|") !== true || !RULE.test(rule)) return 0;
  const end = lines.findIndex((line, index) => index > from + 1 && !line.includes("|"));
  return (end === -1 ? lines.length : end) - from;
}

/** The lines of a table as aligned columns. One that is too wide for that stays as it was written. */
export function tableToLines(
  lines: readonly string[],
  { columns, glyphs }: { readonly columns: number; readonly glyphs: Glyphs },
): readonly TranscriptLine[] {
  const [head = [], rule = [], ...body] = lines.map(cellsOf);
  const rows = [head, ...body].map((cells) => cells.map((cell) => parseInline(cell).text));
  const widths = fitWidths(
    head.map((_, index) => Math.max(1, ...rows.map((row) => columnsOf(row[index] ?? "")))),
    columns,
  );
  if (widths === undefined) {
    return lines.flatMap((line) => wrapColumns(line, columns)).map((text) => ({ text, tone: "text" }));
  }
  const alignments = head.map((_, index) => alignmentOf(rule[index] ?? ""));
  const [headLines = [], ...bodyLines] = rows.map((row) => rowToLines(row, { widths, alignments }));
  return [
    ...headLines.map((text): TranscriptLine => {
      return { text, tone: "text", marks: [{ start: 0, end: text.length, tone: "strong" }] };
    }),
    { text: widths.map((width) => glyphs.horizontal.repeat(width)).join(GAP), tone: "muted" },
    ...bodyLines.flat().map((text): TranscriptLine => ({ text, tone: "text" })),
  ];
}

/** The lines of a table for reading aloud: a line for each row, with the head before each value. */
export function tableToRecords(lines: readonly string[]): readonly TranscriptLine[] {
  const [head = [], , ...body] = lines.map((line) => cellsOf(line).map((cell) => parseInline(cell).text));
  if (body.length === 0) return [{ text: head.join("; "), tone: "text" }];
  return body.map((row) => {
    const named = head.flatMap((name, index) => {
      const value = row[index] ?? "";
      return value === "" ? [] : [name === "" ? value : `${name}: ${value}`];
    });
    return { text: named.join("; "), tone: "text" };
  });
}

/** The cells of a row. A bar after a backslash is part of a cell. */
function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** The widths that fit, made by narrowing the widest. Undefined when there are too many. */
function fitWidths(wanted: readonly number[], columns: number): readonly number[] | undefined {
  const room = columns - GAP.length * (wanted.length - 1);
  const widths = [...wanted];
  if (wanted.length * MIN_COLUMN > room && sum(widths) > room) return undefined;
  while (sum(widths) > room) {
    const widest = Math.max(...widths);
    const second = Math.max(MIN_COLUMN, ...widths.filter((width) => width < widest));
    const index = widths.indexOf(widest);
    widths[index] = Math.min(widest - 1, Math.max(second, widest - (sum(widths) - room)));
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type Alignment = "left" | "center" | "right";

/** The alignment of a column, from its part of the rule: `--:` is right, `:-:` is centred. */
function alignmentOf(rule: string): Alignment {
  if (!rule.endsWith(":")) return "left";
  return rule.startsWith(":") ? "center" : "right";
}

function rowToLines(
  row: readonly string[],
  { widths, alignments }: { readonly widths: readonly number[]; readonly alignments: readonly Alignment[] },
): readonly string[] {
  const cells = widths.map((width, index) => {
    return wrapWords(row[index] ?? "", width).flatMap((part) => wrapColumns(part, width));
  });
  const height = Math.max(1, ...cells.map((parts) => parts.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map((cell, index) => {
      const [text, width] = [cell[line] ?? "", widths[index] ?? 0];
      const room = Math.max(0, width - columnsOf(text));
      const before = alignments[index] === "right" ? room : alignments[index] === "center" ? Math.floor(room / 2) : 0;
      return padColumns(" ".repeat(before) + text, width);
    });
    return parts.join(GAP).trimEnd();
  });
}
