import type { TranscriptRow } from "./transcript-rows.ts";

/**
 * The row of the first line of the next or the previous diff; after the last one comes the first. Undefined when there is
 * none. From inside of a diff, the previous one is the diff before it.
 */
export function nextDiff(
  rows: readonly TranscriptRow[],
  { from, delta }: { readonly from: number; readonly delta: 1 | -1 },
): number | undefined {
  const starts = rows.flatMap((row, index) => (isStart(row, rows[index - 1]) ? [index] : []));
  if (delta === 1) return starts.find((start) => start > from) ?? starts[0];
  // Where the cursor is in a diff, its own start does not count.
  const isInside = rows[from]?.line.change !== undefined;
  const before = starts.filter((start) => start <= from);
  return (isInside ? before.slice(0, -1) : before).at(-1) ?? starts.at(-1);
}

/** Whether a row begins a diff: the row before, which may be a comment, is of no diff or of that of another file or call. */
function isStart({ entry, line, commentId }: TranscriptRow, before: TranscriptRow | undefined): boolean {
  if (line.change === undefined || commentId !== undefined) return false;
  if (before?.commentId !== undefined) return false;
  return before?.entry?.id !== entry?.id || before?.line.change?.path !== line.change.path;
}
