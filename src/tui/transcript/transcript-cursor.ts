/** Which row has the cursor, and which is the first on the screen. */
export interface TranscriptCursor {
  /** Undefined for the last row, also when rows are added. */
  readonly row: number | undefined;
  readonly top: number;
}

/** The size of what is scrolled. */
export interface RowSpace {
  readonly rowCount: number;
  /** How many rows the screen has. */
  readonly height: number;
}

/** At the last row. */
export const AT_END: TranscriptCursor = { row: undefined, top: Number.POSITIVE_INFINITY };

/** The row of the cursor. */
export function rowOf({ row }: TranscriptCursor, { rowCount }: RowSpace): number {
  return Math.max(0, Math.min(row ?? rowCount - 1, rowCount - 1));
}

/** The first row on the screen, so that the cursor is visible and no space is left below the last row. */
export function topOf(cursor: TranscriptCursor, space: RowSpace): number {
  const row = rowOf(cursor, space);
  const { rowCount, height } = space;
  const visible = Math.max(row - height + 1, Math.min(cursor.top, row));
  return Math.max(0, Math.min(visible, rowCount - height));
}

/** Puts the cursor on a row. */
export function moveTo(cursor: TranscriptCursor, row: number, space: RowSpace): TranscriptCursor {
  const last = space.rowCount - 1;
  const moved = { row: row >= last ? undefined : Math.max(0, row), top: topOf(cursor, space) };
  return { ...moved, top: topOf(moved, space) };
}

/** Moves the cursor by rows. */
export function moveBy(cursor: TranscriptCursor, delta: number, space: RowSpace): TranscriptCursor {
  return moveTo(cursor, rowOf(cursor, space) + delta, space);
}

/** Puts the cursor on a row and the row in the middle of the screen, unless it is on the screen already. */
export function reveal(cursor: TranscriptCursor, row: number, space: RowSpace): TranscriptCursor {
  const top = topOf(cursor, space);
  const isVisible = row >= top && row < top + space.height;
  return isVisible
    ? moveTo(cursor, row, space)
    : moveTo({ ...cursor, row, top: row - Math.floor(space.height / 2) }, row, space);
}
