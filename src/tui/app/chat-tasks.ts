import { isRecord } from "../../contracts/index.ts";
import type { ChatEntry, ToolEntry } from "../chat/chat-entry.ts";
import type { TodoItem } from "../commands/command.ts";
import type { RunTask } from "../host/runs-port.ts";

/** The most rows of the task panel, its title included. */
const MAX_ROWS = 8;

/** The rows of the task panel's title. */
const TITLE_ROWS = 1;

/** Claude Code's `TodoWrite`, OpenCode's `todowrite`, and the plan of agents over ACP, which replace the whole list. */
const WRITES_TASKS = /^(?:todo_?write|plan)$/i;

const STATES: Readonly<Record<string, RunTask["status"]>> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "passing",
  cancelled: "skipped",
};

/** The tasks that commands have set, then those of the agent. */
export function chatTasks(board: readonly TodoItem[], entries: readonly ChatEntry[]): readonly RunTask[] {
  const own = board.map(({ id, content, status, activeForm, blockedBy = [] }, index) => ({
    id: id ?? String(index + 1),
    name: nameOf({ content, status, activeForm }),
    status: STATES[status] ?? "pending",
    dependsOn: blockedBy,
  }));
  const taken = new Set(own.map(({ id }) => id));
  const agents = agentTasks(entries).map((task) => (taken.has(task.id) ? { ...task, id: `agent ${task.id}` } : task));
  return [...own, ...agents];
}

/** The agent's own list of tasks: the input of the last call that wrote it and did not fail. */
export function agentTasks(entries: readonly ChatEntry[]): readonly RunTask[] {
  const call = entries.findLast(
    (entry): entry is ToolEntry =>
      entry.type === "tool" &&
      WRITES_TASKS.test(entry.toolName) &&
      (entry.status === "running" || entry.status === "done") &&
      listOf(entry.input) !== undefined,
  );
  return (listOf(call?.input) ?? []).filter(isRecord).map(({ content, status, activeForm }, index) => ({
    id: String(index + 1),
    name: nameOf({ content, status, activeForm }),
    status: (typeof status === "string" && Object.hasOwn(STATES, status) ? STATES[status] : undefined) ?? "pending",
  }));
}

function listOf(input: unknown): readonly unknown[] | undefined {
  return isRecord(input) && Array.isArray(input.todos) ? input.todos : undefined;
}

/** What is being done, in the words for that. */
function nameOf({
  content,
  status,
  activeForm,
}: Readonly<Record<"content" | "status" | "activeForm", unknown>>): string {
  const isActive = status === "in_progress" && typeof activeForm === "string" && activeForm !== "";
  return isActive ? activeForm : typeof content === "string" ? content : "";
}

/** The rows of the list in the task panel: fewer in a low terminal, and one that says that there are no tasks. */
export function taskListRows(count: number, height: number): number {
  const most = Math.max(2, Math.min(MAX_ROWS, Math.floor(height / 4))) - TITLE_ROWS;
  return Math.max(1, Math.min(count, most));
}
