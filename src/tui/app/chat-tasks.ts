import { isRecord } from "../../contracts/index.ts";
import { changedTaskOf, type TaskItem, taskItemsOf } from "../../view/index.ts";
import type { ChatEntry, ToolEntry } from "../chat/chat-entry.ts";
import type { TodoItem } from "../commands/command.ts";
import type { RunTask } from "../host/runs-port.ts";

/** The most rows of the task panel, its title included. */
const MAX_ROWS = 8;

/** The rows of the task panel's title. */
const TITLE_ROWS = 1;

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

const STATUS_OF: Readonly<Record<TaskItem["state"], RunTask["status"]>> = {
  pending: "pending",
  "in progress": "in_progress",
  done: "passing",
  cancelled: "skipped",
};

/**
 * The agent's own list of tasks: the last whole list that it wrote, and what it added and changed since then. Calls that
 * failed or were denied changed nothing.
 */
export function agentTasks(entries: readonly ChatEntry[]): readonly RunTask[] {
  let tasks = new Map<string, TaskItem>();
  for (const entry of entries) {
    if (entry.type !== "tool" || (entry.status !== "running" && entry.status !== "done")) continue;
    const list = taskItemsOf(entry.toolName, entry.input);
    if (list !== undefined) tasks = new Map(list.map((item, index) => [String(index + 1), item]));
    const changed = changedTaskOf(entry.toolName, entry.input);
    if (changed !== undefined) applyChange(tasks, entry, changed);
  }
  return [...tasks].map(([id, { text, state }]) => ({ id, name: text, status: STATUS_OF[state] }));
}

/** Claude Code names a new task in the result of `TaskCreate`: `Task #3 created`. */
const NEW_TASK = /#(\d+)/;

/** Adds the task of a `TaskCreate`, or changes the one that a `TaskUpdate` names. */
function applyChange(tasks: Map<string, TaskItem>, { input, output }: ToolEntry, changed: TaskItem): void {
  const named = isRecord(input) && typeof input.taskId === "string" ? input.taskId : undefined;
  const id = named ?? NEW_TASK.exec(output)?.[1] ?? String(tasks.size + 1);
  const hasOwnName = named === undefined || (isRecord(input) && typeof input.subject === "string");
  tasks.set(id, { text: hasOwnName ? changed.text : (tasks.get(id)?.text ?? changed.text), state: changed.state });
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
