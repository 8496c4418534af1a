import { columnsOf } from "../../view/index.ts";
import type { InboxItem } from "../host/runs-port.ts";
import { compactAnswers, permissionAnswers } from "./inbox-lines.ts";
import type { PaneSize } from "./run-layout.ts";

/** Columns before the text of an answer: its key, with space around it. */
export const ANSWER_COLUMNS = 5;

/** How the inbox shares a screen. */
export interface InboxLayout {
  readonly padding: number;
  readonly columns: number;
  readonly listRows: number;
  readonly detailRows: number;
  /** Lines of a permission request that are visible at a time. */
  readonly pageRows: number;
  /** Whether a line of a permission request and all of its answers fit, uncut. */
  readonly canShow: boolean;
  /** Whether the answers share rows, and there are no empty ones: a low screen has room for a request then, or for why it has none. */
  readonly isCompact: boolean;
}

/** The layout for a selected item, out of so many. */
export function layoutInbox(
  item: InboxItem | undefined,
  { size, count }: { readonly size: PaneSize; readonly count: number },
): InboxLayout {
  const padding = size.columns < 60 ? 1 : 2;
  const columns = size.columns - 2 * padding;
  const roomy = layoutRoomy(item, { size, count, padding, columns });
  if (roomy.canShow || item?.type !== "permission") return roomy;
  const answers = compactAnswers(item, columns);
  // The title, one row of the list, what is not visible of the request, and the keys.
  const free = size.rows - 4 - answers.length;
  const isWide = answers.every((line) => columnsOf(line) <= columns);
  const canShow = free >= 1 && isWide;
  const detailRows = Math.max(1, size.rows - 3);
  return { padding, columns, listRows: 1, detailRows, pageRows: Math.max(1, free), canShow, isCompact: true };
}

function layoutRoomy(
  item: InboxItem | undefined,
  {
    size,
    count,
    padding,
    columns,
  }: {
    readonly size: PaneSize;
    readonly count: number;
    readonly padding: number;
    readonly columns: number;
  },
): InboxLayout {
  const listRows = Math.min(Math.max(1, count), Math.max(2, Math.floor((size.rows - 5) * 0.4)));
  const detailRows = Math.max(1, size.rows - listRows - 4);
  const answers = item?.type === "permission" ? permissionAnswers(item) : [];
  // One row for each answer, and one for what is not visible of the request.
  const free = detailRows - answers.length - 1;
  const isWide = answers.every(({ label }) => ANSWER_COLUMNS + columnsOf(label) <= columns);
  const canShow = free >= 1 && isWide;
  return { padding, columns, listRows, detailRows, pageRows: Math.max(1, free), canShow, isCompact: false };
}
