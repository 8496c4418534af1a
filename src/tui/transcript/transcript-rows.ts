import { type ChangedLine, safeLine } from "../../view/index.ts";
import type { ChatEntry } from "../chat/chat-entry.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { clipText } from "./clip-text.ts";
import { isRunning } from "./describe-entry.ts";
import { commentOn, type DiffComment, type DiffComments } from "./diff-comments.ts";
import { entryToLines, hasGapBefore } from "./entry-to-lines.ts";
import { markdownToLines } from "./markdown-to-lines.ts";
import type { TranscriptCursor } from "./transcript-cursor.ts";
import type { TranscriptLine } from "./transcript-line.ts";

/** A row of the transcript view. */
export interface TranscriptRow {
  readonly line: TranscriptLine;
  /** Absent for the summary of a compaction and for rows between entries. */
  readonly entry?: ChatEntry;
  /** Which row of its entry it is, without comments. A comment has that of its line. */
  readonly place?: number;
  /** @default false */
  readonly isComment?: boolean;
}

/** How the rows are made. */
export interface RowLayout {
  readonly columns: number;
  readonly glyphs: Glyphs;
  readonly workingDirectory: string;
  readonly compactionSummary: string | undefined;
  readonly comments: DiffComments;
  /** The current time, for what is in progress. */
  readonly now: number;
  /** Whether the line of a comment has changed since. */
  readonly isStale: (comment: DiffComment) => boolean;
}

/** More of an entry than anybody reads on a screen; `/export` writes all. */
const ROW_CLIP = { maxLines: 20_000, maxCharacters: 1_000_000 } as const;

const EMPTY_LINE: TranscriptLine = { text: "", tone: "text" };

/** Makes the rows of a conversation. Rows of an entry that did not change are made once. */
export class RowMaker {
  readonly #lines = new WeakMap<ChatEntry, readonly TranscriptRow[]>();

  /** @param layout what the rows of unchanged entries depend on; another one needs another maker */
  constructor(readonly layout: Pick<RowLayout, "columns" | "glyphs" | "workingDirectory">) {}

  /** Everything unfolded, the summary of the last compaction first, comments below their lines. */
  make(
    entries: readonly ChatEntry[],
    {
      compactionSummary,
      comments,
      isStale,
      now,
    }: Pick<RowLayout, "compactionSummary" | "comments" | "isStale" | "now">,
  ): readonly TranscriptRow[] {
    const rows: TranscriptRow[] = this.#summaryRows(compactionSummary);
    for (const [index, entry] of entries.entries()) {
      if (rows.length > 0 && (index === 0 || hasGapBefore(entries[index - 1], entry))) rows.push({ line: EMPTY_LINE });
      for (const row of this.#rowsOf(entry, now)) rows.push(row);
    }
    return comments.comments.length === 0 ? rows : this.#withComments(rows, { comments, isStale });
  }

  #rowsOf(entry: ChatEntry, now: number): readonly TranscriptRow[] {
    const known = this.#lines.get(entry);
    if (known !== undefined) return known;
    const lines = entryToLines(entry, { ...this.layout, isOpen: true, hasPastes: true, clip: ROW_CLIP, now });
    const rows = placeChanges(lines, entry.id).map((line, place) => ({ line, entry, place }));
    if (!isRunning(entry)) this.#lines.set(entry, rows);
    return rows;
  }

  #summaryRows(summary: string | undefined): TranscriptRow[] {
    if (summary === undefined) return [];
    const { columns, glyphs } = this.layout;
    const lines = markdownToLines(clipText(summary, ROW_CLIP).lines, { columns, glyphs });
    const heading = { text: "Summary of the compaction", tone: "heading" } as const;
    const rule = { text: glyphs.horizontal.repeat(columns), tone: "muted" } as const;
    return [heading, EMPTY_LINE, ...lines, EMPTY_LINE, rule].map((line) => ({ line }));
  }

  #withComments(
    rows: readonly TranscriptRow[],
    { comments, isStale }: Pick<RowLayout, "comments" | "isStale">,
  ): readonly TranscriptRow[] {
    const { columns, glyphs } = this.layout;
    const shown = new Set<DiffComment>();
    return rows.flatMap((row, index) => {
      const { change } = row.line;
      // A long line of a file has several rows: the comment follows the last.
      if (change === undefined || rows[index + 1]?.line.change === change) return [row];
      const comment = commentOn(comments, change);
      if (comment === undefined || shown.has(comment)) return [row];
      shown.add(comment);
      const isOld = isStale(comment);
      const flag = isOld ? "changed since: " : "";
      const text = `    ${glyphs.lastBranch} ${safeLine(flag + comment.text, columns - 8)}`;
      return [row, { ...row, isComment: true, line: { text, tone: isOld ? "warning" : "accent" } as const }];
    });
  }
}

/** The lines, of which those of diffs know their place: equal ones without numbers are not the same. */
function placeChanges(lines: readonly TranscriptLine[], entryId: string): readonly TranscriptLine[] {
  const placed = new Map<ChangedLine, ChangedLine>();
  return lines.map((line) => {
    const { change } = line;
    if (change === undefined) return line;
    // The rows of a long line share it.
    const known = placed.get(change) ?? { ...change, place: `${entryId}:${placed.size}` };
    placed.set(change, known);
    return { ...line, change: known };
  });
}

/** The cursor on the row that it was on, when others were added or removed. From a comment that is gone it goes to its line. */
export function followRow(
  cursor: TranscriptCursor,
  { from, to }: { readonly from: readonly TranscriptRow[]; readonly to: readonly TranscriptRow[] },
): TranscriptCursor {
  const old = cursor.row === undefined ? undefined : from[cursor.row];
  if (cursor.row === undefined || old?.entry === undefined || isSameRow(old, to[cursor.row])) return cursor;
  const row = to.findIndex((other) => isSameRow(old, other));
  const line = row === -1 ? to.findIndex((other) => isSameRow({ ...old, isComment: false }, other)) : row;
  if (line === -1) return cursor;
  return { row: line, top: cursor.top + line - cursor.row };
}

function isSameRow(one: TranscriptRow, other: TranscriptRow | undefined): boolean {
  return (
    one.entry?.id === other?.entry?.id &&
    one.place === other?.place &&
    Boolean(one.isComment) === Boolean(other?.isComment)
  );
}
