/** The footer as a frame left it in the terminal. */
export interface DrawnFooter {
  /** The terminal's height at that time. */
  readonly rows: number;
  /** The columns that each row of the footer takes. What follows them is erased, so that it does not wrap. */
  readonly lengths: readonly number[];
  /** The footer's row with the cursor, from 0. */
  readonly cursorRow: number;
  /** The cursor's column, from 0. */
  readonly cursorColumn: number;
  /** Empty rows of the terminal below the footer. */
  readonly emptyRows: number;
}

/** The size that a terminal has now. */
export interface NewSize {
  readonly columns: number;
  readonly rows: number;
  /**
   * Whether the terminal is xterm.js, as in VS Code. There, the cursor does not stay at its character: each row that the rows
   * below it take more moves it down by one row of the text. The cursor's row wraps only if one below it does.
   */
  readonly isXtermJs: boolean;
}

/**
 * How many rows the footer starts above the cursor after a resize. A terminal wraps the rows that are too wide, and keeps the
 * cursor at its character. One that gets lower first drops what is below the cursor.
 */
export function rowsToFooterStart(footer: DrawnFooter, { columns, rows, isXtermJs }: NewSize): number {
  const { lengths, cursorRow, cursorColumn } = footer;
  const wrapped = lengths.map((length) => Math.max(1, Math.ceil(length / columns)));
  const above = sum(wrapped.slice(0, cursorRow));
  if (!isXtermJs) return above + Math.min((wrapped[cursorRow] ?? 1) - 1, Math.floor(cursorColumn / columns));
  const dropped = Math.max(0, footer.rows - rows - footer.emptyRows);
  const below = wrapped.slice(cursorRow + 1, Math.max(cursorRow + 1, lengths.length - dropped));
  const moved = sum(below) - below.length;
  return above + (moved === 0 ? 0 : moved + (wrapped[cursorRow] ?? 1) - 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The cells of a frame, row by row. */
export interface Cells {
  readonly width: number;
  readonly height: number;
  readonly buffers: {
    readonly char: ArrayLike<number>;
    /** Four numbers for each cell; the last is its opacity. */
    readonly bg: ArrayLike<number>;
    readonly attributes: ArrayLike<number>;
  };
}

const SPACE = 0x20;

/** The columns that each row of a frame takes, without the empty cells at its end. */
export function visibleLengths({ width, height, buffers: { char, bg, attributes } }: Cells): readonly number[] {
  const isEmpty = (cell: number): boolean =>
    (char[cell] === SPACE || char[cell] === 0) && bg[4 * cell + 3] === 0 && attributes[cell] === 0;
  return Array.from({ length: height }, (_, row) => {
    let length = width;
    while (length > 0 && isEmpty(row * width + length - 1)) length--;
    return length;
  });
}
