import { columnsOf, safeText, simplifyEmoji } from "../../view/index.ts";

/** What a text means. A theme turns it into a colour. */
export type Tone = "text" | "muted" | "accent" | "success" | "warning" | "error";

/** A part of a line. Its text is safe for a terminal and has no line breaks. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isUnderlined?: boolean;
  /** Whether it has the colour of code instead of that of its tone. */
  readonly isCode?: boolean;
}

/** How a part looks besides its colour. */
export type SpanStyle = Pick<Span, "isBold" | "isItalic" | "isUnderlined" | "isCode">;

/** A line of the screen. */
export type Line = readonly Span[];

/** A part of a line, from any text. */
export function span(text: string, tone: Tone = "text", style: SpanStyle = {}): Span {
  const chosen = Object.fromEntries(Object.entries(style).filter(([, isSet]) => isSet));
  return { text: simplifyEmoji(safeText(text)).replace(/[\n\t]+/g, " "), tone, ...chosen };
}

/** The width of a line, in columns. */
export function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + columnsOf(text), 0);
}

/** A line of exactly so many columns: what is on the left loses its end where both do not fit. */
export function fitLine(left: Line, right: Line, columns: number): Line {
  const end = widthOf(right) > columns ? [] : right;
  const gap = end.length === 0 ? 0 : 1;
  const start = cutLine(left, Math.max(0, columns - widthOf(end) - gap));
  const room = columns - widthOf(start) - widthOf(end);
  return [...start, ...(room > 0 ? [span(" ".repeat(room))] : []), ...end];
}

/** A line of at most so many columns, which ends with `…` where something is missing. */
export function cutLine(line: Line, columns: number): Line {
  if (widthOf(line) <= columns) return line;
  const kept: Span[] = [];
  let room = columns - 1;
  if (room < 0) return [];
  for (const part of line) {
    const text = cutText(part.text, room);
    if (text !== "") kept.push({ ...part, text });
    room -= columnsOf(text);
    if (text !== part.text) break;
  }
  const last = kept.pop();
  if (last === undefined) return [span("…", "muted")];
  return [...kept, { ...last, text: `${last.text.trimEnd()}…` }];
}

function cutText(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += columnsOf(segment);
    if (width > columns) break;
    kept += segment;
  }
  return kept;
}

/** The text of a line. */
export function textOf(line: Line): string {
  return line.map(({ text }) => text).join("");
}

/** The rows that are visible when the selected one must be: the same size, moved as little as possible from the start. */
export function windowAround(
  selected: number,
  { count, size }: { readonly count: number; readonly size: number },
): number {
  if (count <= size) return 0;
  const middle = selected - Math.floor(size / 2);
  return Math.min(Math.max(0, middle), count - size);
}
