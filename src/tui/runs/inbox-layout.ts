import type { InboxItem } from "../host/runs-port.ts";
import { permissionLines, questionLines } from "./inbox-lines.ts";
import type { Line } from "./line.ts";
import type { PaneSize } from "./run-layout.ts";

/** How the inbox shares a screen, and what is visible of the selected item. */
export interface InboxLayout {
  readonly padding: number;
  readonly columns: number;
  readonly listRows: number;
  readonly detailRows: number;
  /** Lines of the whole item that are visible at a time. */
  readonly pageRows: number;
  /** So many answers fit. */
  readonly maxOptions: number;
  readonly scroll: number;
  readonly lines: readonly Line[];
  /** How many more lines are below. */
  readonly linesBelow: number;
}

/** The layout for a selected item, out of so many. */
export function layoutInbox(
  item: InboxItem | undefined,
  { size, count, scroll: wanted }: { readonly size: PaneSize; readonly count: number; readonly scroll: number },
): InboxLayout {
  const padding = size.columns < 60 ? 1 : 2;
  const columns = size.columns - 2 * padding;
  const listRows = Math.min(Math.max(1, count), Math.max(2, Math.floor((size.rows - 5) * 0.4)));
  const detailRows = Math.max(1, size.rows - listRows - 4);
  const all = linesOf(item, columns);
  const answerRows = item === undefined ? 0 : answerRowsOf(item, detailRows);
  const pageRows = Math.max(1, detailRows - answerRows);
  const scroll = Math.min(wanted, Math.max(0, all.length - pageRows));
  return {
    ...{ padding, columns, listRows, detailRows, pageRows, scroll, maxOptions: answerRows - 1 },
    lines: all.slice(scroll, scroll + pageRows),
    linesBelow: Math.max(0, all.length - scroll - pageRows),
  };
}

function linesOf(item: InboxItem | undefined, columns: number): readonly Line[] {
  if (item === undefined) return [];
  return item.type === "question" ? questionLines(item.request, columns - 2) : permissionLines(item, columns);
}

/** Lines for the answers of an item, and for what is left of it. */
function answerRowsOf(item: InboxItem, rows: number): number {
  const count = item.type === "permission" ? 4 : Math.max(1, item.request.options?.length ?? 0);
  return Math.min(count + 1, Math.max(2, rows - 2));
}
