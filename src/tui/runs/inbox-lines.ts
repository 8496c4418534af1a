import type { PermissionRequest } from "../../contracts/index.ts";
import { columnsOf, formatAge, padColumns, safeLine } from "../../view/index.ts";
import { describeRemembered, formatPermissionRequest } from "../../view/permissions.ts";
import { wrapText } from "../dialogs/wrap-text.ts";
import { describeItem } from "../host/describe-item.ts";
import type { InboxItem, PermissionAnswer } from "../host/runs-port.ts";
import { fitLine, type Line, span } from "./line.ts";
import { questionsOf } from "./request-questions.ts";
import type { RowStyle } from "./run-lines.ts";

/** Identifies an item as long as it waits: a node that restarts asks another question. */
export function inboxKey(item: InboxItem): string {
  const id = item.type === "question" ? item.request.id : item.permissionId;
  return [item.runId, item.type, id, item.askedAt].join(" ");
}

/** The columns of the list, each as wide as its widest item. */
export interface InboxColumns {
  readonly workflow: number;
  /** What happens without an answer, and when. */
  readonly end: number;
  /** What kind of answer it takes. */
  readonly kind: number;
}

/** The columns of a list at a time. */
export function inboxColumns(items: readonly InboxItem[], now: number): InboxColumns {
  const widest = (textOf: (item: InboxItem) => string): number =>
    Math.max(0, ...items.map((item) => columnsOf(textOf(item))));
  return {
    workflow: Math.min(
      12,
      widest(({ workflow }) => workflow),
    ),
    end: widest((item) => endOf(item, now)),
    kind: widest(kindOf),
  };
}

/** An item as a line of the list: which run, who asks what, since when, until when, and what kind of answer it takes. */
export function inboxLine(item: InboxItem, style: RowStyle & { readonly widths: InboxColumns }): Line {
  const { columns, glyphs, now, isSelected = false, widths } = style;
  const isQuestion = item.type === "question";
  const left = [
    span(isSelected ? `${glyphs.pointer} ` : "  ", "accent"),
    span(`${isQuestion ? glyphs.waiting : glyphs.skipped} `, "warning"),
    span(padColumns(safeLine(item.workflow, widths.workflow), widths.workflow), isSelected ? "accent" : "text", {
      isBold: isSelected,
    }),
    ...(columns < 60 ? [] : [span(` ${item.runId.slice(0, 4)}`, "muted")]),
    span(`  ${describeItem(item)}`),
  ];
  const wait = formatAge(now - item.askedAt).padStart(4);
  const ends = columns < 60 || widths.end === 0 ? [] : [padColumns(endOf(item, now), widths.end)];
  const kinds = columns < 70 ? [] : [kindOf(item).padStart(widths.kind)];
  return fitLine(left, [span([wait, ...ends, ...kinds].join("  "), "muted")], columns);
}

function endOf(item: InboxItem, now: number): string {
  if (item.type === "question" && item.dueAt !== undefined) {
    return item.dueAt <= now ? "due" : `due in ${formatAge(item.dueAt - now)}`;
  }
  if (item.deadline === undefined) return "";
  const left = formatAge(item.deadline - now);
  if (item.type === "permission") return `denied in ${left}`;
  return item.request.acceptsText === true ? `declined in ${left}` : `continues in ${left}`;
}

/** What kind of answer an item takes. Not the keys: those are in the last line, and only where they work. */
function kindOf(item: InboxItem): string {
  if (item.type === "permission") return "yes or no";
  const questions = questionsOf(item.request);
  if (questions.length > 1) return `${questions.length} questions`;
  const count = item.request.options?.length ?? questions[0]?.shape.options.length ?? 0;
  return count === 0 ? "text" : count === 1 ? "1 option" : `${count} options`;
}

/** All that a call would do and what a longer answer would allow, wrapped: nothing of it is cut. */
export function permissionLines(request: PermissionRequest, columns: number): readonly Line[] {
  const call = formatPermissionRequest(request, columns).map((line) => {
    const change = /^ {2}[│┆] ([-+]) /.exec(line)?.[1];
    return [span(line, change === "+" ? "success" : change === "-" ? "error" : "text")];
  });
  if (request.isOnce === true) return call;
  const remembered = wrapText(`a and p allow ${describeRemembered(request)}.`, columns);
  return [...call, ...remembered.map((line) => [span(line, "muted")])];
}

/** An answer to a permission request. */
export interface PermissionOption {
  readonly key: "y" | "a" | "p" | "n";
  readonly label: string;
  readonly answer: PermissionAnswer;
}

const ONCE: PermissionOption = { key: "y", label: "yes, this once", answer: "yes" };
const NO: PermissionOption = { key: "n", label: "no", answer: "no" };

const SHORT_LABELS = { yes: "yes", run: "this run", always: "always", no: "no" } as const;

/** The answers to a permission request in as few rows as they need: `y yes   a this run   p always   n no`. */
export function compactAnswers(item: Extract<InboxItem, { type: "permission" }>, columns: number): readonly string[] {
  const parts = permissionAnswers(item).map(({ key, answer }) => `${key} ${SHORT_LABELS[answer]}`);
  const rows: string[] = [];
  for (const part of parts) {
    const joined = `${rows.at(-1)}   ${part}`;
    if (rows.length > 0 && columnsOf(joined) <= columns) rows[rows.length - 1] = joined;
    else rows.push(`  ${part}`);
  }
  return rows;
}

/** The answers to a permission request. */
export function permissionAnswers({
  request,
}: Extract<InboxItem, { type: "permission" }>): readonly PermissionOption[] {
  if (request.isOnce === true) return [ONCE, NO];
  return [
    ONCE,
    { key: "a", label: "yes, for this run", answer: "run" },
    { key: "p", label: "always in this project", answer: "always" },
    NO,
  ];
}
