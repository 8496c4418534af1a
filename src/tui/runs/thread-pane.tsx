import type { ChatModel } from "../chat/chat-model.ts";
import { useUi } from "../ui/ui-context.ts";
import { span } from "./line.ts";
import { LinesView } from "./lines-view.tsx";
import type { PaneSize } from "./run-layout.ts";
import { textRows } from "./text-rows.ts";
import { threadLines } from "./thread-lines.ts";

/** Properties of {@link ThreadPane}. */
export interface ThreadPaneProps {
  readonly thread: ChatModel | undefined;
  /** What is known of the step when no agent works for it. */
  readonly detail: string;
  readonly size: PaneSize;
  readonly scroll: number;
  readonly isFull: boolean;
}

/** What an agent of a run was asked, said and did: the end of it. */
export function ThreadPane({ thread, detail, size, scroll, isFull }: ThreadPaneProps) {
  const { glyphs, now } = useUi();
  const columns = size.columns - 2;
  if (thread === undefined) {
    const lines = textRows(detail, columns);
    const end = lines.length - Math.min(scroll, Math.max(0, lines.length - size.rows));
    const visible = lines.slice(Math.max(0, end - size.rows), end);
    return <LinesView lines={visible.map((line) => [span(`  ${line}`, "muted")])} rows={size.rows} />;
  }
  const { lines } = threadLines(thread, { columns, rows: size.rows, scroll, glyphs, now: now(), isFull });
  return (
    <box paddingLeft={2}>
      <LinesView lines={lines} rows={size.rows} />
    </box>
  );
}
