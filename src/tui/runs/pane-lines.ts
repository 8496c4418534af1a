import type { AgentRow } from "./agent-rows.ts";
import type { GraphRow } from "./graph-rows.ts";
import { hiddenRows } from "./hidden-rows.ts";
import { type Line, windowAround } from "./line.ts";
import type { PaneSize } from "./run-layout.ts";
import { agentColumns, agentLines, graphLine, type RowStyle } from "./run-lines.ts";

/** The visible lines of a pane. */
export interface PaneLines {
  readonly lines: readonly Line[];
  /** The places of the lines of the selected row. */
  readonly selected: ReadonlySet<number>;
  /** How many rows are not visible. */
  readonly hidden: Line;
}

/** How the rows of a pane are drawn. */
export interface PaneStyle extends Pick<RowStyle, "glyphs" | "now"> {
  readonly size: PaneSize;
  /** The selected row, if the pane has the focus. */
  readonly selectedKey: string | undefined;
  /** The visits that what is selected elsewhere stands for. */
  readonly litTaskIds: ReadonlySet<string>;
}

/** The visible rows of the graph. */
export function graphPane(
  rows: readonly GraphRow[],
  { size, selectedKey, litTaskIds, ...style }: PaneStyle,
): PaneLines {
  const drawn = rows.map((row) => {
    const isSelected = row.key === selectedKey;
    // A block is lit only where its steps are folded.
    const isLit = !row.isOpen && [...litTaskIds].some((taskId) => row.taskIds.has(taskId));
    return { isSelected, isLit, lines: [graphLine(row, { ...style, columns: size.columns, isSelected, isLit })] };
  });
  return visibleLines(drawn, { size: size.rows, glyphs: style.glyphs });
}

/** The visible rows of the agents. */
export function agentPane(
  rows: readonly AgentRow[],
  { size, selectedKey, litTaskIds, ...style }: PaneStyle,
): PaneLines {
  const widths = agentColumns(rows, style.glyphs, size.columns);
  const drawn = rows.map((row) => {
    const isSelected = row.key === selectedKey;
    const isLit = row.endedAt === undefined && litTaskIds.has(row.taskId);
    const lines = agentLines(row, { ...style, columns: size.columns, widths, isSelected, isLit });
    return { isSelected, isLit, lines };
  });
  return visibleLines(drawn, { size: size.rows, glyphs: style.glyphs });
}

interface DrawnRow {
  readonly isSelected: boolean;
  readonly isLit: boolean;
  readonly lines: readonly Line[];
}

/** Keeps the selected row visible, or else the first one that is lit. */
function visibleLines(
  rows: readonly DrawnRow[],
  { size, glyphs }: Pick<RowStyle, "glyphs"> & { readonly size: number },
): PaneLines {
  const places = rows.flatMap((row, index) => row.lines.map((line) => ({ line, index, row })));
  const chosen = places.findIndex(({ row }) => row.isSelected);
  const anchor = chosen === -1 ? places.findIndex(({ row }) => row.isLit) : chosen;
  const start = windowAround(Math.max(0, anchor), { count: places.length, size });
  const visible = places.slice(start, start + size);
  const selected = visible.flatMap(({ row }, index) => (row.isSelected ? [index] : []));
  const shown = new Set(visible.map(({ index }) => index)).size;
  const hidden = hiddenRows({ count: rows.length, shown }, glyphs);
  return { lines: visible.map(({ line }) => line), selected: new Set(selected), hidden };
}
