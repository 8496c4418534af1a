import type { InboxItem } from "../host/runs-port.ts";
import { permissionLines } from "./inbox-lines.ts";
import type { Line } from "./line.ts";
import type { PaneSize } from "./run-layout.ts";

/** How the inbox shares a screen, and what is visible of the selected item. */
export interface InboxLayout {
  readonly padding: number;
  readonly columns: number;
  readonly listRows: number;
  readonly detailRows: number;
  /** Lines of a permission request that are visible at a time. */
  readonly pageRows: number;
  /** So many answers to a permission request fit. */
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
  // One row for each answer, and one for what is left of the request.
  const answerRows = item?.type === "permission" ? Math.min(5, Math.max(2, detailRows - 2)) : 0;
  const pageRows = Math.max(1, detailRows - answerRows);
  const scroll = Math.min(wanted, Math.max(0, all.length - pageRows));
  return {
    ...{ padding, columns, listRows, detailRows, pageRows, scroll, maxOptions: answerRows - 1 },
    lines: all.slice(scroll, scroll + pageRows),
    linesBelow: Math.max(0, all.length - scroll - pageRows),
  };
}

/** The lines of a permission request. A question has a form. */
function linesOf(item: InboxItem | undefined, columns: number): readonly Line[] {
  return item?.type === "permission" ? permissionLines(item, columns) : [];
}
