import type { TextPlace } from "../../contracts/index.ts";

/** Lines around a text that belong to its place. */
const CONTEXT_LINES = 3;

/** The longest context on one side of a text, in characters: a file of one long line has no lines worth showing. */
const MAX_CONTEXT = 2_000;

/** Where a text is in a file. Undefined when it is not there, or at several places. */
export function findPlace(content: string, text: string): TextPlace | undefined {
  if (text === "") return undefined;
  const start = content.indexOf(text);
  if (start === -1 || content.indexOf(text, start + 1) !== -1) return undefined;
  const from = lineStart(content, start, CONTEXT_LINES);
  const to = lineEnd(content, start + text.length, CONTEXT_LINES);
  if (start - from > MAX_CONTEXT || to - start - text.length > MAX_CONTEXT) return undefined;
  return {
    line: content.slice(0, from).split("\n").length,
    before: content.slice(from, start),
    after: content.slice(start + text.length, to),
  };
}

/** The start of the line that is so many lines above a position. */
function lineStart(content: string, position: number, lines: number): number {
  let start = content.lastIndexOf("\n", position - 1) + 1;
  if (position === 0) start = 0;
  for (let count = 0; count < lines && start > 0; count++) {
    start = start === 1 ? 0 : content.lastIndexOf("\n", start - 2) + 1;
  }
  return start;
}

/** The end of the line that is so many lines below a position, without its line break. */
function lineEnd(content: string, position: number, lines: number): number {
  // A text that ends with its line has the next line below it. The last line break starts no line.
  const isWholeLine = content[position - 1] === "\n";
  let end = isWholeLine ? position - 1 : endOfLine(content, position);
  for (let count = 0; count < lines && end < content.length - 1; count++) end = endOfLine(content, end + 1);
  return Math.max(end, position);
}

function endOfLine(content: string, position: number): number {
  const end = content.indexOf("\n", position);
  return end === -1 ? content.length : end;
}
