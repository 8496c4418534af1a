import { mostColumnsOf } from "./exact-width.ts";

/** The assumed width of narrower terminals. */
const MIN_COLUMNS = 8;

/** The starts of a line of foreign text, and of a wrapped line. No line of Atomic starts with them. */
const LINE_START = "  │ ";
export const CONTINUATION = "  ┆ ";

/** Settings of {@link wrapLine}. */
export interface WrapOptions {
  /** The start of the line. */
  readonly first: string;
  /** The start of each further line. */
  readonly next: string;
  /** The width of the terminal. */
  readonly columns: number;
}

/** Wraps a line exactly at the terminal's width: wrapping between words could hide spaces. */
export function wrapLine(line: string, { first, next, columns }: WrapOptions): readonly string[] {
  const lines: string[] = [];
  // The last column stays empty: terminals differ in when they wrap there.
  const width = Math.max(columns, MIN_COLUMNS) - 1;
  let current = first;
  let used = Bun.stringWidth(first);
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const segmentWidth = Math.max(Bun.stringWidth(segment), mostColumnsOf(segment));
    if (used + segmentWidth > width) {
      lines.push(current);
      current = next;
      used = Bun.stringWidth(next);
    }
    current += segment;
    used += segmentWidth;
  }
  return [...lines, current];
}

/**
 * Wraps text from agents and workflows so that it cannot imitate a line of Atomic: each line starts with `│`, or with `┆`
 * when it is wrapped.
 */
export function markLines(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, { first: LINE_START, next: CONTINUATION, columns }));
}

/** The same, with the first line of the text after words of Atomic, which may be empty. */
export function markAfter(words: string, text: string, columns: number): readonly string[] {
  const [first = "", ...others] = text.split("\n");
  const start = wrapLine(first, { first: words, next: CONTINUATION, columns });
  return others.length === 0 ? start : [...start, ...markLines(others.join("\n"), columns)];
}
