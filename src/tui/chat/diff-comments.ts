import { type ChangedLine, safeLine } from "../../view/index.ts";

/** A comment of the person on a line of a diff. */
export interface DiffComment {
  readonly id: string;
  readonly line: ChangedLine;
  readonly text: string;
}

/** The comments of a conversation, in the order of their writing. */
export interface DiffComments {
  /** Those that are not sent yet. */
  readonly comments: readonly DiffComment[];
  /** Those in a message that the agent has not received yet. */
  readonly sending: readonly DiffComment[];
  /** Those that the agent has. */
  readonly sent: readonly DiffComment[];
  /** How many were written, for their ids. */
  readonly writtenCount: number;
}

/** No comment. */
export const NO_COMMENTS: DiffComments = { comments: [], sending: [], sent: [], writtenCount: 0 };

/** A number of comments: `2 comments`. */
export function countComments(count: number): string {
  return `${count} ${count === 1 ? "comment" : "comments"}`;
}

/** The comment on a line that is not sent yet. */
export function commentOn({ comments }: Pick<DiffComments, "comments">, line: ChangedLine): DiffComment | undefined {
  const same = comments.filter((comment) => isSameLine(comment.line, line));
  return same.find((comment) => comment.line.place === line.place) ?? same[0];
}

/** The comments with one on a line, in place of the one that it had. An empty text removes it. */
export function writeComment(state: DiffComments, line: ChangedLine, text: string): DiffComments {
  const written = text.trim();
  const old = commentOn(state, line);
  if (written === "") return { ...state, comments: state.comments.filter((comment) => comment !== old) };
  if (old !== undefined) {
    const comments = state.comments.map((comment) => (comment === old ? { ...old, text: written } : comment));
    return { ...state, comments };
  }
  const writtenCount = state.writtenCount + 1;
  return { ...state, comments: [...state.comments, { id: `c${writtenCount}`, line, text: written }], writtenCount };
}

/** Whether two lines of diffs are the same line of the same change. */
export function isSameLine(one: ChangedLine, other: ChangedLine): boolean {
  return (
    one.path === other.path &&
    one.number === other.number &&
    one.text === other.text &&
    one.isRemoved === other.isRemoved &&
    isSamePlace(one, other)
  );
}

function isSamePlace(one: ChangedLine, other: ChangedLine): boolean {
  if (one.place !== undefined && other.place !== undefined) return one.place === other.place;
  return one.occurrence === undefined || other.occurrence === undefined || one.occurrence === other.occurrence;
}

/** Counts the equal lines of a diff: returns each line with its occurrence. Call it once for each line, in their order. */
export function occurrenceCounter(): (line: ChangedLine) => ChangedLine {
  const counts = new Map<string, number>();
  return (line) => {
    const key = JSON.stringify([line.path, line.number ?? null, line.text, line.isRemoved]);
    const occurrence = counts.get(key) ?? 0;
    counts.set(key, occurrence + 1);
    return { ...line, occurrence };
  };
}

/**
 * A line with its neighbours among the lines of its diff. Undefined stands for what is between two parts of a diff: lines on
 * both sides of it are no neighbours.
 */
export function withNeighbours(line: ChangedLine, lines: readonly (ChangedLine | undefined)[]): ChangedLine {
  if (line.isRemoved) return line;
  // A long line is there several times.
  const beside = (from: number, step: 1 | -1): string | undefined => {
    for (let index = from + step; ; index += step) {
      const other = lines[index];
      if (other === undefined || other.path !== line.path) return undefined;
      if (other !== line && !other.isRemoved) return other.text;
    }
  };
  const [above, below] = [beside(lines.indexOf(line), -1), beside(lines.lastIndexOf(line), 1)];
  if (above === undefined && below === undefined) return line;
  const neighbours = { ...(above === undefined ? {} : { above }), ...(below === undefined ? {} : { below }) };
  return { ...line, neighbours };
}

/** Where a commented line is now. */
export type LineState =
  | { readonly type: "unchanged"; readonly number: number | undefined }
  /** The same text on another line. */
  | { readonly type: "moved"; readonly number: number }
  /** The line has another text, or is gone. For a removed line: it is back. */
  | { readonly type: "changed" };

/**
 * Compares a commented line with the file's current content; undefined content is that of a file that is gone. An equal line
 * elsewhere is the commented one only if its neighbours are the same, and no other line fits as well.
 */
export function checkLine(
  { text, number, isRemoved, neighbours = {} }: ChangedLine,
  content: string | undefined,
): LineState {
  const lines = content?.split(/\r?\n/) ?? [];
  // A removed line is not in the file any more: there is nothing that could have changed.
  if (isRemoved) return { type: "unchanged", number };
  const { above, below } = neighbours;
  const places = lines.flatMap((line, index) => {
    const isSame = (known: string | undefined, at: number): boolean => known === undefined || known === lines[at];
    return line === text && isSame(above, index - 1) && isSame(below, index + 1) ? [index + 1] : [];
  });
  if (number !== undefined && places.includes(number)) return { type: "unchanged", number };
  const [place] = places;
  if (place === undefined) return { type: "changed" };
  if (number === undefined) return { type: "unchanged", number: places.length === 1 ? place : undefined };
  return places.length === 1 ? { type: "moved", number: place } : { type: "changed" };
}

/** The content of files by path. Files that nobody could read are missing; undefined is a file that is gone. */
export type FileContents = ReadonlyMap<string, string | undefined>;

/** The longest quotation of a line, in columns. */
const MAX_QUOTE = 400;

/** The comments as one message to the agent: for each its file, line and the quoted code. */
export function formatComments(
  { comments }: Pick<DiffComments, "comments">,
  contents: FileContents = new Map(),
): string {
  const parts = comments.map(({ line, text }) => {
    const state = contents.has(line.path) ? checkLine(line, contents.get(line.path)) : undefined;
    const number = state === undefined || state.type === "changed" ? line.number : state.number;
    const place = number === undefined ? line.path : `${line.path}:${number}`;
    const flags = [
      ...(line.isRemoved ? ["removed line"] : []),
      ...(state?.type === "changed" ? ["this line has changed since"] : []),
    ];
    const flag = flags.length === 0 ? "" : ` (${flags.join(", ")})`;
    // Without the control characters and line breaks that would end the quotation.
    return `${place}${flag}\n> ${safeLine(line.text, MAX_QUOTE)}\n${text}`;
  });
  const start = parts.length === 1 ? "A comment on your change:" : `${parts.length} comments on your changes:`;
  return [start, ...parts].join("\n\n");
}
