import { columnsOf, wrapWords } from "../../view/index.ts";
import { type TranscriptLine, wrapColumns } from "./transcript-line.ts";

const FENCE = /^\s*(`{3,}|~{3,})/;
const HEADING = /^#{1,6} /;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
/** What a further line of a list item or a quote is indented by. */
const ITEM_START = /^(\s*)(?:[-*+]|\d{1,3}[.)]|>) /;

/** Lines of Markdown, as they were written, with the meaning of each. Code and tables keep their columns. */
export function markdownToLines(lines: readonly string[], columns: number): readonly TranscriptLine[] {
  let fence: string | undefined;
  let codeBlock = -1;
  return lines.flatMap((line): readonly TranscriptLine[] => {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      const isEnd = mark?.startsWith(fence) === true && line.trim() === mark;
      if (isEnd) fence = undefined;
      return wrapColumns(line, columns).map((text) => ({ text, tone: isEnd ? "muted" : "code", codeBlock }));
    }
    if (mark !== undefined) {
      fence = mark;
      codeBlock++;
      return wrapColumns(line, columns).map((text) => ({ text, tone: "muted", codeBlock }));
    }
    if (TABLE_ROW.test(line)) return wrapColumns(line, columns).map((text) => ({ text, tone: "text" }));
    const tone = HEADING.test(line) ? "heading" : line.startsWith("> ") ? "muted" : "text";
    return wrapItem(line, columns).map((text) => ({ text, tone }));
  });
}

function wrapItem(line: string, columns: number): readonly string[] {
  if (columnsOf(line) <= columns) return [line];
  const indent = " ".repeat(ITEM_START.exec(line)?.[0].length ?? /^\s*/.exec(line)?.[0].length ?? 0);
  if (indent.length * 2 > columns) return wrapColumns(line, columns);
  const start = line.slice(0, indent.length);
  return wrapWords(line.slice(indent.length), columns - indent.length)
    .flatMap((part) => wrapColumns(part, columns - indent.length))
    .map((part, index) => (index === 0 ? start : indent) + part);
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
    } else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    else blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join("\n"));
}
