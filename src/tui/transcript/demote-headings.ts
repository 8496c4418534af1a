import { nextFence } from "./next-fence.ts";

const HEADING = /^( {0,3})(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;

/** A line of a paragraph: none of a list, a quotation, a table, code or HTML. */
const PARAGRAPH = /^ {0,3}(?![-+*>#|<=]|\d{1,9}[.)]\s)\S/;

/** The lowest heading of Markdown. */
const MAX_LEVEL = 6;

/**
 * Markdown for a document that has headings of its own: those of the text are so many levels lower, code is as it was, and a
 * code block without an end has one, so that it takes in nothing of what follows.
 */
export function demoteHeadings(text: string, { levels }: { readonly levels: number }): string {
  let fence: string | undefined;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const before = fence;
    fence = nextFence(fence, line);
    if (before !== undefined || fence !== undefined) lines.push(line);
    else if (UNDERLINE.test(line) && isParagraph(lines.at(-1))) lines.push(...underlined(lines, { line, levels }));
    else
      lines.push(line.replace(HEADING, (_, indent: string, signs: string) => indent + signOf(signs.length + levels)));
  }
  return [...lines, ...(fence === undefined ? [] : [fence])].join("\n");
}

function isParagraph(line: string | undefined): boolean {
  return line !== undefined && PARAGRAPH.test(line);
}

/** The heading that a line below a paragraph makes of it. Takes the paragraph out of the lines. */
function underlined(
  lines: string[],
  { line, levels }: { readonly line: string; readonly levels: number },
): readonly string[] {
  const start = lines.findLastIndex((other) => !isParagraph(other)) + 1;
  const above = lines[start - 1];
  // The last line of a list or a quotation can continue here, and then it is a rule.
  if (above !== undefined && above.trim() !== "" && !HEADING.test(above)) return [line];
  const title = lines.splice(start).map((part) => part.trim());
  return [`${signOf((line.includes("=") ? 1 : 2) + levels)} ${title.join(" ")}`];
}

function signOf(level: number): string {
  return "#".repeat(Math.min(MAX_LEVEL, level));
}
