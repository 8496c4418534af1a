import type { ChatModel } from "../chat/chat-model.ts";
import { useUi } from "../ui/ui-context.ts";
import { fitLine, span } from "./line.ts";
import { LinesView } from "./lines-view.tsx";
import type { PaneSize } from "./run-layout.ts";
import { threadLines } from "./thread-lines.ts";

/** Properties of {@link ThreadPane}. */
export interface ThreadPaneProps {
  readonly thread: ChatModel | undefined;
  /** What the step logged, when no agent works for it. */
  readonly log?: readonly string[] | undefined;
  readonly size: PaneSize;
  readonly scroll: number;
  readonly isFull: boolean;
}

/** What an agent of a run was asked, said and did: the end of it. */
export function ThreadPane({ thread, log, size, scroll, isFull }: ThreadPaneProps) {
  const { glyphs, now } = useUi();
  if (thread === undefined) {
    const said = log ?? ["No agent has worked for this step."];
    const lines = said.slice(-size.rows).map((text) => fitLine([span(`  ${text}`, "muted")], [], size.columns));
    return <LinesView lines={lines} rows={size.rows} />;
  }
  const columns = size.columns - 2;
  const { lines } = threadLines(thread, { columns, rows: size.rows, scroll, glyphs, now: now(), isFull });
  return (
    <box paddingLeft={2}>
      <LinesView lines={lines} rows={size.rows} />
    </box>
  );
}
