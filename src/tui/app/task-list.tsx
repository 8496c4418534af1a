import type { TodoItem } from "../commands/command.ts";
import type { RunTask } from "../host/runs-port.ts";
import { TaskPanel } from "../runs/task-panel.tsx";
import { useChat, useScreen } from "../ui/ui-context.ts";
import { useScreenSize } from "../ui/use-screen-size.ts";
import { chatTasks, taskListRows } from "./chat-tasks.ts";

/** Properties of {@link TaskList}. */
export interface TaskListProps {
  /** The tasks that commands have set. */
  readonly board: readonly TodoItem[];
}

/** On a lower screen, the tasks are hidden while a request is open, in rows. */
const MIN_ROWS_BESIDE_REQUEST = 24;

/** The tasks of the conversation, if the user wants to see them. */
export function TaskList({ board }: TaskListProps) {
  const { width } = useScreenSize();
  const shown = useShownTasks(board);
  if (shown === undefined) return;
  return (
    <box flexDirection="column" flexShrink={0}>
      <TaskPanel
        tasks={shown.tasks}
        size={{ columns: width - 2, rows: shown.rows }}
        emptyText="There are no tasks yet."
      />
    </box>
  );
}

/** The tasks that are shown, and the rows of their list without its title. Undefined while they are hidden. */
export function useShownTasks(
  board: readonly TodoItem[],
): { readonly tasks: readonly RunTask[]; readonly rows: number } | undefined {
  const { areTasksShown, view } = useScreen();
  const { model, asks } = useChat();
  const { height } = useScreenSize();
  // On a low screen, the rows are for a request and its answers.
  const isCovered = asks.length > 0 && height < MIN_ROWS_BESIDE_REQUEST;
  if (!areTasksShown || isCovered || view.type !== "chat") return undefined;
  const tasks = chatTasks(board, model.entries);
  return { tasks, rows: taskListRows(tasks.length, height) };
}
