import { columnsOf, wrapWords } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { markParts, parseInline } from "./markdown-inline.ts";
import { tableLength, tableToLines, tableToRecords } from "./markdown-table.ts";
import { indentLine, type LineTone, type TranscriptLine, wrapColumns } from "./transcript-line.ts";

/** How Markdown is drawn. */
export interface MarkdownLayout {
  readonly columns: number;
  readonly glyphs: Glyphs;
  /** Tables as aligned columns, or as a line `head: value; head: value` for each row. @default "columns" */
  readonly tables?: "columns" | "records";
}

const FENCE = /^\s*(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;

/** The indentation of code. */
const CODE_INDENT = "  ";

/** Lines of Markdown as they are read, without its signs. Code keeps its columns, tables are aligned. */
export function markdownToLines(lines: readonly string[], layout: MarkdownLayout): readonly TranscriptLine[] {
  const drawn: TranscriptLine[] = [];
  let fence: string | undefined;
  let codeBlock = -1;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (isFenceEnd(line, fence)) fence = undefined;
      else drawn.push(...codeLines(line, { codeBlock, columns: layout.columns }));
    } else if (mark !== undefined) {
      fence = mark;
      codeBlock++;
    } else {
      const rows = tableLength(lines, index);
      drawn.push(...(rows > 0 ? tableLines(lines.slice(index, index + rows), layout) : blockLines(line, layout)));
      index += Math.max(0, rows - 1);
    }
  }
  return drawn;
}

function tableLines(lines: readonly string[], layout: MarkdownLayout): readonly TranscriptLine[] {
  return layout.tables === "records" ? tableToRecords(lines) : tableToLines(lines, layout);
}

/** A line of a text that streams, with what `safeText` makes a line break of. A return at the end can be half of one. */
const WHOLE_LINE = /[^\r\n\u2028\u2029]*(?:\r\n|\r(?!$)|[\n\u2028\u2029])/g;

/**
 * The length of the start of a text that further text does not change, with the line break after it: its last line, a code block
 * without its end, and a table that can have more rows, are left out.
 */
export function finishedLength(text: string): number {
  const lines = text.match(WHOLE_LINE) ?? [];
  const count = countFinishedLines(lines.map((line) => line.replace(/[\r\n\u2028\u2029]+$/, "")));
  return lines.slice(0, count).reduce((sum, line) => sum + line.length, 0);
}

/** How many of the lines are whole blocks. */
function countFinishedLines(lines: readonly string[]): number {
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] ?? "";
    const fence = FENCE.exec(line)?.[1];
    const rows = tableLength(lines, index);
    if (fence !== undefined) {
      const end = lines.findIndex((other, place) => place > index && isFenceEnd(other, fence));
      if (end === -1) return index;
      index = end + 1;
    } else if (rows > 0) {
      if (index + rows === lines.length) return index;
      index += rows;
    } else if (line.includes("|") && index === lines.length - 1) return index;
    else index++;
  }
  return lines.length;
}

function isFenceEnd(line: string, fence: string): boolean {
  const mark = FENCE.exec(line)?.[1];
  return mark?.startsWith(fence) === true && line.trim() === mark;
}

function codeLines(
  line: string,
  { codeBlock, columns }: { readonly codeBlock: number; readonly columns: number },
): readonly TranscriptLine[] {
  const parts = wrapColumns(line, Math.max(1, columns - CODE_INDENT.length));
  return parts.map((text) => ({ text: CODE_INDENT + text, tone: "code", codeBlock }));
}

/** A line outside of code and tables: a heading, a rule, an item, a quotation or a part of a paragraph. */
function blockLines(line: string, layout: MarkdownLayout): readonly TranscriptLine[] {
  const { columns, glyphs } = layout;
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) return inlineLines(heading, { columns, tone: "heading" });
  if (RULE.test(line)) return [{ text: glyphs.horizontal.repeat(columns), tone: "muted" }];
  const quoted = QUOTE.exec(line)?.[1];
  if (quoted !== undefined && columns > 8) {
    const inner = blockLines(quoted, { columns: columns - 2, glyphs });
    return (inner.length === 0 ? [{ text: "", tone: "muted" } as const] : inner).map((part) => ({
      ...indentLine(part, `${glyphs.line} `),
      tone: "muted",
    }));
  }
  const [, indent = "", sign = "", box, text = ""] = ITEM.exec(line) ?? [];
  if (sign === "") {
    const start = /^\s*/.exec(line)?.[0] ?? "";
    return inlineLines(line.slice(start.length), { columns, start });
  }
  const bullet = /\d/.test(sign) ? `${sign} ` : box === undefined ? `${glyphs.bullet} ` : "";
  const check = box === undefined ? "" : `${box === " " ? glyphs.unchecked : glyphs.checked} `;
  return inlineLines(text, { columns, start: indent + bullet + check });
}

/** Text after a start, under which its further lines are aligned where there is room. */
function inlineLines(
  line: string,
  {
    columns,
    start = "",
    tone = "text",
  }: { readonly columns: number; readonly start?: string; readonly tone?: LineTone },
): readonly TranscriptLine[] {
  const inline = parseInline(line);
  const width = columnsOf(start);
  const isNarrow = width * 2 > columns;
  const room = Math.max(1, isNarrow ? columns : columns - width);
  if (isNarrow) return wrapColumns(start + inline.text, columns).map((text) => ({ text, tone }));
  const parts = wrapWords(inline.text, room).flatMap((part) => wrapColumns(part, room));
  const indent = " ".repeat(width);
  return markParts(inline, parts).map(({ text, marks }, index) =>
    indentLine({ text, tone, ...(marks.length === 0 ? {} : { marks }) }, index === 0 ? start : indent),
  );
}

/** The texts of the code blocks of Markdown, without their fences. */
export function codeBlocksOf(text: string): readonly string[] {
  const blocks: string[][] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      if (mark === undefined) continue;
      fence = mark;
      blocks.push([]);
    } else if (isFenceEnd(line, fence)) fence = undefined;
    else blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join("\n"));
}
