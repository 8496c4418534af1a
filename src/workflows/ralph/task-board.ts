import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ExecutionContext, Task } from "../../graph/index.ts";
import type { TasksFile } from "../tasks/task.ts";
import { loadTasks, saveTasks, TasksFileNotFoundError } from "../tasks/tasks-file.ts";
import type { RalphState } from "./ralph-state.ts";

type RalphContext = ExecutionContext<RalphState>;

/** The ids of tasks that Ralph adds itself, to repair failures of the verify command. */
export function isRepairId(id: string): boolean {
  return /^repair-\d+$/.test(id);
}

/**
 * Merges a person's edits of `tasks.json` into Ralph's own list.
 *
 * 1. The current task is taken from Ralph's list.
 * 2. Other tasks are taken from the file. `in_progress` there was written by Ralph and is ignored.
 * 3. A task that was removed from the file is skipped, unless it is done.
 * 4. A new task is appended. An unknown repair is ignored: a process that died left it.
 */
export function mergeEdits(tasks: readonly Task[], edited: readonly Task[], currentTaskId: string): readonly Task[] {
  const byId = new Map(edited.map((task) => [task.id, task]));
  const known = new Set(tasks.map(({ id }) => id));
  const kept = tasks.map((task): Task => {
    if (task.id === currentTaskId) return task;
    const edit = byId.get(task.id);
    if (edit === undefined) return isUnfinished(task) ? { ...task, status: "skipped" } : task;
    return edit.status === "in_progress" ? { ...edit, status: task.status } : edit;
  });
  const added = edited.filter(({ id }) => !known.has(id) && !isRepairId(id));
  return [...kept, ...added.map((task): Task => (isUnfinished(task) ? { ...task, status: "pending" } : task))];
}

/** Tasks that are not done yet. */
export function unfinishedTasks(tasks: readonly Task[]): readonly Task[] {
  return tasks.filter(isUnfinished);
}

function isUnfinished({ status }: Task): boolean {
  return status === "pending" || status === "in_progress";
}

/** The current tasks, a person's edits included. @throws TasksFileError */
export async function readTasks(context: Pick<RalphContext, "state" | "services">): Promise<readonly Task[]> {
  const { tasks, currentTaskId } = context.state;
  const file = await loadFile(context);
  return file === undefined ? tasks : mergeEdits(tasks, file.tasks, currentTaskId);
}

/** Publishes the tasks, and writes `tasks.json` into the session's folder, where people can read and edit it. */
export async function showTasks(
  context: Pick<RalphContext, "state" | "services" | "emit">,
  tasks: readonly Task[],
): Promise<void> {
  context.emit({ type: "tasks", tasks: tasks.map(({ id, name, status }) => ({ id, name, status })) });
  const path = pathOf(context);
  // Other content of the file is kept.
  if (path !== undefined) await saveTasks(path, { ...(await loadFile(context)), version: "1.0", tasks });
}

/** The tasks that differ from Ralph's own list: only these are journaled. */
export function changedTasks(before: readonly Task[], after: readonly Task[]): Task[] {
  const byId = new Map(before.map((task) => [task.id, task]));
  return after.filter((task) => !isDeepStrictEqual(task, byId.get(task.id)));
}

async function loadFile(context: Pick<RalphContext, "services">): Promise<TasksFile | undefined> {
  const path = pathOf(context);
  if (path === undefined) return undefined;
  try {
    return await loadTasks(path);
  } catch (error) {
    if (error instanceof TasksFileNotFoundError) return undefined;
    throw error;
  }
}

function pathOf({ services }: Pick<RalphContext, "services">): string | undefined {
  return services.sessionDirectory === undefined ? undefined : join(services.sessionDirectory, "tasks.json");
}
