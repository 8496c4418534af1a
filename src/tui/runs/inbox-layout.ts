import { columnsOf } from "../../view/index.ts";
import { leastQuestionRows } from "../dialogs/question-layout.ts";
import type { InboxItem } from "../host/runs-port.ts";
import { compactAnswers, permissionAnswers } from "./inbox-lines.ts";
import { questionsOf } from "./request-questions.ts";
import type { PaneSize } from "./run-layout.ts";

/** Columns before the text of an answer: its key, with space around it. */
export const ANSWER_COLUMNS = 5;

/** How the inbox shares a screen. Its last row says what the keys do. */
export interface InboxLayout {
  readonly padding: number;
  readonly columns: number;
  readonly hasTitle: boolean;
  readonly listRows: number;
  readonly detailRows: number;
  /** Lines of a permission request that are visible at a time. */
  readonly pageRows: number;
  /** Whether a line of the selected item and all of its answers fit, uncut. */
  readonly canShow: boolean;
  /** Whether the answers share rows, and there are no empty ones: a low screen has room for a request then, or for why it has none. */
  readonly isCompact: boolean;
}

/** The layout for a selected item, out of so many. */
export function layoutInbox(
  item: InboxItem | undefined,
  { size: { columns: width, rows }, count }: { readonly size: PaneSize; readonly count: number },
): InboxLayout {
  const padding = width < 60 ? 1 : 2;
  const columns = width - 2 * padding;
  const listRows = Math.min(Math.max(1, count), Math.max(2, Math.floor((rows - 5) * 0.4)));
  const roomy = { hasTitle: true, listRows, detailRows: rows - listRows - 4, isCompact: false };
  const low = { hasTitle: rows >= 4, listRows: rows >= 2 ? 1 : 0, isCompact: true };
  const withTitle = { ...low, detailRows: Math.max(0, rows - low.listRows - (low.hasTitle ? 2 : 1)) };
  const withoutTitle = { ...low, hasTitle: false, detailRows: Math.max(0, rows - low.listRows - 1) };
  const candidates = [roomy, withTitle, withoutTitle].map((layout) => {
    const pageRows = pageRowsOf(item, { ...layout, columns });
    return { ...layout, padding, columns, pageRows: Math.max(1, pageRows), canShow: pageRows >= 1 };
  });
  const [, lowest = NONE] = candidates;
  return candidates.find(({ canShow }) => canShow) ?? lowest;
}

const NONE: InboxLayout = {
  ...{ padding: 0, columns: 0, hasTitle: false, listRows: 0, detailRows: 0 },
  ...{ pageRows: 1, canShow: false, isCompact: true },
};

type Shares = Pick<InboxLayout, "columns" | "detailRows" | "isCompact">;

/** The rows for the item besides its answers. Below 1 where there is no room for it. */
function pageRowsOf(item: InboxItem | undefined, { columns, detailRows, isCompact }: Shares): number {
  if (item === undefined) return detailRows;
  if (item.type === "question") {
    const least = Math.max(0, ...questionsOf(item.request).map(({ shape }) => leastQuestionRows(shape, columns)));
    return detailRows - least + 1;
  }
  const answers = isCompact
    ? compactAnswers(item, columns)
    : permissionAnswers(item).map(({ label }) => `${" ".repeat(ANSWER_COLUMNS)}${label}`);
  if (answers.some((line) => columnsOf(line) > columns)) return 0;
  // One row is for what is not visible of the request.
  return detailRows - answers.length - 1;
}
