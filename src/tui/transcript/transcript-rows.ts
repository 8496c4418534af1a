import { safeLine } from "../../view/index.ts";
import type { ChatEntry } from "../chat/chat-entry.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { clipText } from "./clip-text.ts";
import { isRunning } from "./describe-entry.ts";
import { commentOn, type DiffComment, type DiffComments } from "./diff-comments.ts";
import { entryToLines, hasGapBefore } from "./entry-to-lines.ts";
import { markdownToLines } from "./markdown-to-lines.ts";
import type { TranscriptLine } from "./transcript-line.ts";

/** A row of the transcript view. */
export interface TranscriptRow {
  readonly line: TranscriptLine;
  /** Absent for the summary of a compaction and for rows between entries. */
  readonly entry?: ChatEntry;
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
    const rows = lines.map((line) => ({ line, entry }));
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
    return rows.flatMap((row, index) => {
      const { change } = row.line;
      // A long line of a file has several rows: the comment follows the last.
      if (change === undefined || rows[index + 1]?.line.change === change) return [row];
      const comment = commentOn(comments, change);
      if (comment === undefined) return [row];
      const isOld = isStale(comment);
      const flag = isOld ? "changed since: " : "";
      const text = `    ${glyphs.lastBranch} ${safeLine(flag + comment.text, columns - 8)}`;
      return [row, { ...row, line: { text, tone: isOld ? "warning" : "accent" } as const }];
    });
  }
}
