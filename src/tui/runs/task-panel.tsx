import { basename } from "node:path";
import type { RunTask } from "../host/runs-port.ts";
import { useUi } from "../ui/ui-context.ts";
import { hiddenRows } from "./hidden-rows.ts";
import { fitLine, span, windowAround } from "./line.ts";
import { LinesView, LineView } from "./lines-view.tsx";
import type { PaneSize } from "./run-layout.ts";
import { taskLine, tasksLine } from "./run-lines.ts";

/** Properties of {@link TaskPanel}. */
export interface TaskPanelProps {
  readonly tasks: readonly RunTask[];
  /** The file that has them. */
  readonly file?: string | undefined;
  /** The size of the list, without its title. */
  readonly size: PaneSize;
  /** @default "The run has no list of tasks." */
  readonly emptyText?: string;
}

/** The tasks of a run or a conversation: which are done, in progress, or wait for others. What is in progress stays visible. */
export function TaskPanel({ tasks, file, size, emptyText = "The run has no list of tasks." }: TaskPanelProps) {
  const { glyphs, now } = useUi();
  const { columns, rows } = size;
  const current = tasks.findIndex(({ status }) => status === "in_progress");
  const start = windowAround(Math.max(0, current), { count: tasks.length, size: rows });
  const hidden = hiddenRows({ count: tasks.length, shown: rows }, glyphs);
  const place = [...hidden, ...(file === undefined ? [] : [span(`  ${basename(file)}`, "muted")])];
  const lines = tasks.slice(start, start + rows).map((task) => taskLine(task, tasks, { columns, glyphs, now: now() }));
  return (
    <box flexDirection="column" flexShrink={0} height={rows + 1}>
      <LineView line={fitLine([span("  "), ...tasksLine(tasks, { glyphs })], place, columns)} />
      <LinesView lines={tasks.length === 0 ? [[span(`  ${emptyText}`, "muted")]] : lines} rows={rows} />
    </box>
  );
}
