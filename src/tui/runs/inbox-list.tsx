import { describeUnreadable } from "../commands/format-run-lists.ts";
import { wrapText } from "../dialogs/wrap-text.ts";
import type { InboxItem } from "../host/runs-port.ts";
import { useUi } from "../ui/ui-context.ts";
import { hiddenRows } from "./hidden-rows.ts";
import type { InboxLayout } from "./inbox-layout.ts";
import { inboxColumns, inboxLine } from "./inbox-lines.ts";
import { cutLine, fitLine, type Line, span, windowAround } from "./line.ts";
import { LinesView, LineView } from "./lines-view.tsx";

/** Properties of {@link InboxList}. */
export interface InboxListProps {
  readonly items: readonly InboxItem[];
  /** The place of the selected item. */
  readonly index: number;
  readonly layout: InboxLayout;
  /** The runs that could not be read. */
  readonly unreadableCount: number;
}

/** The title and the items that fit, with the selected one. */
export function InboxList({ items, index, layout, unreadableCount }: InboxListProps) {
  const { columns, hasTitle, listRows, isCompact } = layout;
  const { glyphs, now } = useUi();
  const start = windowAround(index, { count: items.length, size: listRows });
  const style = { columns, glyphs, now: now(), widths: inboxColumns(items, now()) };
  const list = items
    .slice(start, start + listRows)
    .map((item, row) => inboxLine(item, { ...style, isSelected: start + row === index }));
  const unreadable = unreadableCount === 0 ? [] : [span(`  ${describeUnreadable(unreadableCount)}`, "warning")];
  const hidden = hiddenRows({ count: items.length, shown: listRows }, glyphs);
  return (
    <>
      {hasTitle ? (
        <Title count={[...unreadable, ...hidden, span(`  ${items.length}`, "warning")]} columns={columns} />
      ) : undefined}
      {isCompact ? undefined : <LineView line={[]} />}
      <LinesView lines={list} rows={listRows} selected={new Set([index - start])} />
      {isCompact ? undefined : <LineView line={[]} />}
    </>
  );
}

/** Properties of {@link EmptyInbox}. */
export interface EmptyInboxProps {
  /** Why there are no items. */
  readonly text: string;
  /** Whether the text is about something that failed. */
  readonly isProblem: boolean;
  readonly layout: Pick<InboxLayout, "columns">;
  /** The rows for it. */
  readonly rows: number;
}

/** The fewest rows with the title. */
const TITLE_ROWS = 3;

/** An inbox without items, and all of the reason that fits. */
export function EmptyInbox({ text, isProblem, layout: { columns }, rows }: EmptyInboxProps) {
  const hasTitle = rows >= TITLE_ROWS;
  const wrapped = wrapText(text, columns - 2);
  const hasGap = hasTitle && rows >= wrapped.length + 2;
  const room = Math.max(0, rows - (hasTitle ? 1 : 0) - (hasGap ? 1 : 0));
  const shown = wrapped.length <= room ? wrapped : [...wrapped.slice(0, room - 1), wrapped.slice(room - 1).join(" ")];
  return (
    <>
      {hasTitle ? <Title count={[]} columns={columns} /> : undefined}
      {hasGap ? <LineView line={[]} /> : undefined}
      <LinesView
        lines={shown.map((line) => cutLine([span(`  ${line}`, isProblem ? "warning" : "muted")], columns))}
        rows={room}
      />
    </>
  );
}

function Title({ count, columns }: { readonly count: Line; readonly columns: number }) {
  return <LineView line={fitLine([span("Waiting for you", "accent", { isBold: true })], count, columns)} />;
}
