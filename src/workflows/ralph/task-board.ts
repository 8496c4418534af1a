import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ExecutionContext, Task } from "../../graph/index.ts";
import type { TasksFile } from "../tasks/task.ts";
import { loadTasks, saveTasks, TasksFileNotFoundError } from "../tasks/tasks-file.ts";
import type { RalphState } from "./ralph-state.ts";

type RalphContext = ExecutionContext<RalphState>;

/** The ids of tasks that Ralph plans by itself, to repair what the verify command found. */
export function isRepairId(id: string): boolean {
  return /^repair-\d+$/.test(id);
}

/**
 * Lays what a person wrote into `tasks.json` over what Ralph knows.
 *
 * 1. The task in the worker's hands is as Ralph knows it.
 * 2. Of the other tasks the file's version holds; `in_progress` there is a mark of Ralph's own, and says nothing.
 * 3. A task that was taken out of the file is skipped, unless it is done.
 * 4. A new task is appended. Repairs are Ralph's own: one that it does not know is left from a process that died.
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

/** Tasks that still have to be done. */
export function unfinishedTasks(tasks: readonly Task[]): readonly Task[] {
  return tasks.filter(isUnfinished);
}

function isUnfinished({ status }: Task): boolean {
  return status === "pending" || status === "in_progress";
}

/** The tasks as they are now, a person's edits included. @throws TasksFileError */
export async function readTasks(context: Pick<RalphContext, "state" | "services">): Promise<readonly Task[]> {
  const { tasks, currentTaskId } = context.state;
  const file = await loadFile(context);
  return file === undefined ? tasks : mergeEdits(tasks, file.tasks, currentTaskId);
}

/** Tells whoever watches, and writes `tasks.json` into the session's folder for people to look at and to edit. */
export async function showTasks(
  context: Pick<RalphContext, "state" | "services" | "emit">,
  tasks: readonly Task[],
): Promise<void> {
  context.emit({ type: "tasks", tasks: tasks.map(({ id, name, status }) => ({ id, name, status })) });
  const path = pathOf(context);
  // What else a person keeps in the file stays in it.
  if (path !== undefined) await saveTasks(path, { ...(await loadFile(context)), version: "1.0", tasks });
}

/** The tasks that differ from what Ralph knows: all that the journal needs. */
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
