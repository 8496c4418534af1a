import { type ChangedLine, columnsOf } from "../../view/index.ts";

/** What a line of the conversation means. A theme turns it into a colour; the text says the same without one. */
export type LineTone =
  | "text"
  | "user"
  | "muted"
  | "accent"
  | "success"
  | "warning"
  | "error"
  | "added"
  | "removed"
  | "heading"
  | "code";

/** A part of a line that is set apart, in characters of its text. */
export interface LineMark {
  readonly start: number;
  readonly end: number;
  readonly tone: "strong" | "emphasis" | "code" | "link";
}

/** One line of the conversation, safe for a terminal and no wider than it. */
export interface TranscriptLine {
  readonly text: string;
  readonly tone: LineTone;
  /** The line of a diff that it shows. */
  readonly change?: ChangedLine;
  /** The code block of its message that it is part of, from 0. */
  readonly codeBlock?: number;
  /** Bold and italic text, code and links in it. Later ones are inside of earlier ones. @default none */
  readonly marks?: readonly LineMark[];
}

/** A line after an indentation or a sign. */
export function indentLine(line: TranscriptLine, start: string): TranscriptLine {
  const { text, marks } = line;
  if (marks === undefined) return { ...line, text: start + text };
  const by = start.length;
  const moved = marks.map((mark) => ({ ...mark, start: mark.start + by, end: mark.end + by }));
  return { ...line, text: start + text, marks: moved };
}

/** A part of a line in which the same marks hold. */
export interface MarkedPart {
  readonly text: string;
  readonly tones: readonly LineMark["tone"][];
}

/** The parts of a line between two places, split where a mark starts or ends. */
export function splitMarks(
  { text, marks = [] }: TranscriptLine,
  { start, end }: { readonly start: number; readonly end: number },
): readonly MarkedPart[] {
  const edges = marks.flatMap((mark) => [mark.start, mark.end]).filter((edge) => edge > start && edge < end);
  const places = [start, ...new Set(edges.toSorted((one, other) => one - other)), end];
  return places.slice(0, -1).flatMap((from, index) => {
    const part = text.slice(from, places[index + 1]);
    if (part === "") return [];
    const tones = marks.filter((mark) => mark.start <= from && mark.end > from).map((mark) => mark.tone);
    return [{ text: part, tones }];
  });
}

/** Breaks a text where the columns end: between words where there is a space, inside a word otherwise. */
export function wrapColumns(text: string, columns: number): readonly string[] {
  if (columnsOf(text) <= columns) return [text];
  const wrapped = Bun.wrapAnsi(text, Math.max(1, columns), { hard: true, trim: false });
  return wrapped.split("\n").map((part, index) => (index === 0 ? part : part.replace(/^ (?=\S)/, "")).trimEnd());
}
