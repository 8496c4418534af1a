import { type ChangedLine, safeLine } from "../../view/index.ts";
import type { ChatEntry } from "../chat/chat-entry.ts";
import {
  commentOn,
  type DiffComment,
  type DiffComments,
  isSameLine,
  occurrenceCounter,
} from "../chat/diff-comments.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { clipText } from "./clip-text.ts";
import { isRunning } from "./describe-entry.ts";
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
  /** The comment that it shows. @default none */
  readonly commentId?: string;
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
    const hasComments = comments.comments.length + comments.sending.length + comments.sent.length > 0;
    return hasComments ? this.#withComments(rows, { comments, isStale }) : rows;
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
    const shown = new Set<DiffComment>();
    return rows.flatMap((row, index) => {
      const { change } = row.line;
      // A long line of a file has several rows: the comment follows the last.
      if (change === undefined || rows[index + 1]?.line.change === change) return [row];
      const isNew = (comment: DiffComment): boolean => !shown.has(comment) && isSameLine(comment.line, change);
      const unsent = commentOn(comments, change);
      const below = (["sent", "sending"] as const).flatMap((list) => {
        const fresh = comments[list].filter(isNew);
        for (const comment of fresh) shown.add(comment);
        const flag = list === "sent" ? "sent: " : "waits for the agent: ";
        return fresh.map((comment) => this.#commentRow(row, comment, { flag, tone: "muted" }));
      });
      if (unsent === undefined || !isNew(unsent)) return [row, ...below];
      shown.add(unsent);
      const looks = isStale(unsent)
        ? ({ flag: "changed since: ", tone: "warning" } as const)
        : ({ flag: "", tone: "accent" } as const);
      return [row, ...below, this.#commentRow(row, unsent, looks)];
    });
  }

  #commentRow(
    row: TranscriptRow,
    { id, text }: DiffComment,
    { flag, tone }: { readonly flag: string; readonly tone: TranscriptLine["tone"] },
  ): TranscriptRow {
    const { columns, glyphs } = this.layout;
    const line = { text: `    ${glyphs.lastBranch} ${safeLine(flag + text, columns - 8)}`, tone };
    return { ...row, commentId: id, line };
  }
}

/** The lines, of which those of diffs know their place: equal ones without numbers are not the same. */
function placeChanges(lines: readonly TranscriptLine[], entryId: string): readonly TranscriptLine[] {
  const placed = new Map<ChangedLine, ChangedLine>();
  const count = occurrenceCounter();
  return lines.map((line) => {
    const { change } = line;
    if (change === undefined) return line;
    // The rows of a long line share it.
    const known = placed.get(change) ?? { ...count(change), place: `${entryId}:${placed.size}` };
    placed.set(change, known);
    return { ...line, change: known };
  });
}

/**
 * The cursor on the row that it was on, when others were added or removed, or all were wrapped at another width. From a comment
 * that is gone it goes to its line.
 */
export function followRow(
  cursor: TranscriptCursor,
  { from, to }: { readonly from: readonly TranscriptRow[]; readonly to: readonly TranscriptRow[] },
): TranscriptCursor {
  const old = cursor.row === undefined ? undefined : from[cursor.row];
  if (cursor.row === undefined || old?.entry === undefined || isSameRow(old, to[cursor.row])) return cursor;
  const found = [isSameRow, isSameChangedLine, isLineOfComment]
    .map((isSame) => to.findIndex((other) => isSame(old, other)))
    .find((row) => row !== -1);
  if (found === undefined) return cursor;
  return { row: found, top: cursor.top + found - cursor.row };
}

function isLineOfComment({ commentId: _comment, ...row }: TranscriptRow, other: TranscriptRow | undefined): boolean {
  return isSameRow(row, other);
}

function isSameRow(one: TranscriptRow, other: TranscriptRow | undefined): boolean {
  if (one.entry?.id !== other?.entry?.id || one.commentId !== other?.commentId) return false;
  if (one.commentId !== undefined) return true;
  // At another width, another line of a diff has the place.
  return one.place === other?.place && (one.line.change === undefined || isSameChangedLine(one, other));
}

/** Whether both rows show the same line of a diff, of which a row may be a part. */
function isSameChangedLine({ entry, line }: TranscriptRow, other: TranscriptRow | undefined): boolean {
  const { change } = line;
  const otherChange = other?.line.change;
  if (change === undefined || otherChange === undefined) return false;
  return entry?.id === other?.entry?.id && isSameLine(change, otherChange);
}
