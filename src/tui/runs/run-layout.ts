/** How the panes of a run share a screen. */
export interface RunLayout {
  /** Side by side, one below the other, or only the focused one. */
  readonly arrangement: "side" | "stack" | "single";
  /** The columns at each side. */
  readonly padding: number;
  /** The width of what is shown, without the padding. */
  readonly columns: number;
  /** Lines of rows, without the titles. */
  readonly graph: PaneSize;
  readonly agents: PaneSize;
  readonly thread: PaneSize;
}

/** The size of a pane's content. */
export interface PaneSize {
  readonly columns: number;
  readonly rows: number;
}

const GAP = 3;

/** Depends on the screen only: panes keep their size while the run works. */
export function layoutRun({ columns: width, rows }: PaneSize): RunLayout {
  const padding = width < 60 ? 1 : 2;
  const columns = Math.max(10, width - 2 * padding);
  if (width >= 100) {
    // Header, empty line, titles, rule, title of the thread, keys.
    const room = Math.max(4, rows - 6);
    const top = Math.max(Math.floor(room * 0.5), 3);
    const graph = clamp(Math.floor(columns * 0.38), 30, 56);
    return {
      ...{ arrangement: "side", padding, columns },
      graph: { columns: graph, rows: top },
      agents: { columns: columns - graph - GAP, rows: top },
      thread: { columns, rows: room - top },
    };
  }
  if (width >= 60) {
    const room = Math.max(6, rows - 7);
    const top = Math.max(Math.floor(room * 0.36), 3);
    const middle = Math.max(Math.floor(room * 0.34), 3);
    return {
      ...{ arrangement: "stack", padding, columns },
      graph: { columns, rows: top },
      agents: { columns, rows: middle },
      thread: { columns, rows: Math.max(1, room - top - middle) },
    };
  }
  // Header, one line for each of the other two, empty line, title, keys.
  const all = { columns, rows: Math.max(1, rows - 6) };
  return { arrangement: "single", padding, columns, graph: all, agents: all, thread: all };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
