import { columnsOf } from "../../view/index.ts";

/** A part of a line, matched or not. */
export interface MarkedPart {
  readonly text: string;
  readonly isMatch: boolean;
}

/** How {@link markText} shortens. */
export interface MarkOptions {
  /** The indexes of the matched UTF-16 units. */
  readonly positions: readonly number[];
  readonly maxColumns: number;
  readonly ellipsis: string;
  /** Which part is left out where the text is too long. `path` keeps the last name. @default "end" */
  readonly cut?: "end" | "path";
}

interface Cell extends MarkedPart {
  readonly columns: number;
}

/** A line in parts, so that what matched can be underlined, at most so many columns wide. The text is already safe. */
export function markText(
  text: string,
  { positions, maxColumns, ellipsis, cut = "end" }: MarkOptions,
): readonly MarkedPart[] {
  const marked = new Set(positions);
  const cells: readonly Cell[] = [...new Intl.Segmenter().segment(text)].map(({ segment, index }) => ({
    text: segment,
    isMatch: Array.from({ length: segment.length }, (_, unit) => index + unit).some((unit) => marked.has(unit)),
    columns: columnsOf(segment),
  }));
  if (columnsIn(cells) <= maxColumns) return joinCells(cells);
  const gap: Cell = { text: ellipsis, isMatch: false, columns: columnsOf(ellipsis) };
  const room = Math.max(0, maxColumns - gap.columns);
  const tail = cut === "path" ? takeEnd(cells.slice(lastNameAt(cells)), room) : [];
  const start = takeStart(cells, room - columnsIn(tail));
  // A folder's name is left out as a whole.
  const head = cut === "path" ? start.slice(0, start.findLastIndex(({ text: sign }) => sign === "/") + 1) : start;
  return joinCells([...head, gap, ...tail]);
}

/** The index of the `/` before the last name. */
function lastNameAt(cells: readonly Cell[]): number {
  return Math.max(
    0,
    cells.slice(0, -1).findLastIndex(({ text }) => text === "/"),
  );
}

function takeStart(cells: readonly Cell[], maxColumns: number): readonly Cell[] {
  let columns = 0;
  const end = cells.findIndex((cell) => {
    columns += cell.columns;
    return columns > maxColumns;
  });
  return end === -1 ? cells : cells.slice(0, end);
}

function takeEnd(cells: readonly Cell[], maxColumns: number): readonly Cell[] {
  return takeStart(cells.toReversed(), maxColumns).toReversed();
}

function columnsIn(cells: readonly Cell[]): number {
  return cells.reduce((sum, { columns }) => sum + columns, 0);
}

function joinCells(cells: readonly Cell[]): readonly MarkedPart[] {
  const parts: { text: string; readonly isMatch: boolean }[] = [];
  for (const { text, isMatch } of cells) {
    const last = parts.at(-1);
    if (last?.isMatch === isMatch) last.text += text;
    else parts.push({ text, isMatch });
  }
  return parts;
}
