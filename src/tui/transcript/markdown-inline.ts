import type { LineMark } from "./transcript-line.ts";

/** A line of Markdown without its signs. */
export interface InlineText {
  readonly text: string;
  readonly marks: readonly LineMark[];
}

/** A longer line is a listing, and stays as it was written. */
const MAX_LINE = 4_000;

const INLINE = new RegExp(
  [
    String.raw`\\(?<escaped>[\\\x60*_{}[\]()#+\-.!|>~])`,
    String.raw`(?<ticks>\x60+)(?<code>[^\x60]|[^\x60].*?[^\x60])\k<ticks>(?!\x60)`,
    String.raw`!?\[(?<label>[^\]]+)\]\((?<target>[^\s()]+(?:\([^\s()]*\)[^\s()]*)?)(?:\s+"[^"]*")?\)`,
    String.raw`<(?<address>https?:\/\/[^\s<>]+)>`,
    String.raw`\*\*(?=\S)(?<strong>.+?)(?<=\S)\*\*(?!\*)`,
    String.raw`(?<!\w)__(?=\S)(?<strongLine>.+?)(?<=\S)__(?!\w)`,
    String.raw`\*(?=[^\s*])(?<emphasis>[^*]*[^\s*])\*(?!\*)`,
    String.raw`(?<![\w_])_(?=[^\s_])(?<emphasisLine>[^_]*[^\s_])_(?![\w_])`,
  ].join("|"),
  "g",
);

/** A line of Markdown as it is read: bold, italic, code and links are marks, and the target of a link is in the text. */
export function parseInline(line: string): InlineText {
  if (line.length > MAX_LINE) return { text: line, marks: [] };
  let text = "";
  const marks: LineMark[] = [];
  const add = (inner: InlineText, tone: LineMark["tone"] | undefined): void => {
    const start = text.length;
    text += inner.text;
    if (tone !== undefined) marks.push({ start, end: text.length, tone });
    for (const mark of inner.marks) marks.push({ ...mark, start: start + mark.start, end: start + mark.end });
  };
  let at = 0;
  for (const { index, 0: whole, groups = {} } of line.matchAll(INLINE)) {
    text += line.slice(at, index);
    at = index + whole.length;
    const { escaped, code, label, target, address, strongLine, emphasisLine } = groups;
    const { strong = strongLine, emphasis = emphasisLine } = groups;
    if (escaped !== undefined) text += escaped;
    else if (code !== undefined) add({ text: /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code, marks: [] }, "code");
    else if (label !== undefined && target !== undefined) {
      add(parseInline(label), "link");
      if (label !== target) text += ` (${target})`;
    } else if (address !== undefined) add({ text: address, marks: [] }, "link");
    else if (strong !== undefined) add(parseInline(strong), "strong");
    else if (emphasis !== undefined) add(parseInline(emphasis), "emphasis");
  }
  return { text: text + line.slice(at), marks };
}

/** The parts of a text that was wrapped, each with the marks that are in it. */
export function markParts({ text, marks }: InlineText, parts: readonly string[]): readonly InlineText[] {
  let from = 0;
  return parts.map((part) => {
    const start = text.indexOf(part, from);
    if (start === -1 || marks.length === 0) return { text: part, marks: [] };
    const end = start + part.length;
    from = end;
    const inside = marks.filter((mark) => mark.start < end && mark.end > start);
    const moved = inside.map((mark) => ({
      tone: mark.tone,
      start: Math.max(0, mark.start - start),
      end: Math.min(end, mark.end) - start,
    }));
    return { text: part, marks: moved };
  });
}
