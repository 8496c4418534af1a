import { relative, resolve } from "node:path";
import type { Task } from "../../graph/index.ts";
import { parseTasks, TasksFileError } from "../tasks/tasks-file.ts";
import { loadRalphGoal } from "./load-goal.ts";
import { isOwnId } from "./ralph-tasks.ts";

/** What a run of Ralph starts with. */
export interface RalphStart {
  /** What is wanted, in full. */
  readonly goal: string;
  /** The tasks, where the prompt names a list of them; empty where they have to be planned. */
  readonly tasks: readonly Task[];
}

/**
 * What a prompt of Ralph's means: as {@link loadRalphGoal}, and a file whose name ends in `tasks.json` is the list of tasks.
 * What is not done in it is pending; attempts of an earlier run do not count.
 *
 * @throws TasksFileError, and as {@link loadRalphGoal}
 */
export async function loadRalphStart(prompt: string, workingDirectory: string | undefined): Promise<RalphStart> {
  const goal = await loadRalphGoal(prompt, workingDirectory);
  const name = prompt.trim();
  if (workingDirectory === undefined || goal === name || !name.endsWith("tasks.json")) return { goal, tasks: [] };
  const path = resolve(workingDirectory, name);
  const file = parseTasks(goal, path);
  const tasks = file.tasks.map(prepareTask);
  const problems =
    tasks.length === 0
      ? ["There are no tasks in it."]
      : tasks.filter(({ id }) => isOwnId(id)).map(({ id }) => `The id "${id}" is reserved; choose another.`);
  if (problems.length > 0) throw new TasksFileError(path, problems);
  const list = tasks.map((task) => `- ${task.name}`).join("\n");
  const about = `The tasks of ${relative(workingDirectory, path)}:\n\n${list}`;
  const wanted = file.goal?.trim() ?? "";
  return { goal: wanted === "" ? about : `${wanted}\n\n${about}`, tasks };
}

function prepareTask(task: Task): Task {
  const { loop: _loop, ...notes } = task.metadata ?? {};
  const isDone = task.status === "passing" || task.status === "skipped";
  return { ...task, status: isDone ? task.status : "pending", ...(task.metadata && { metadata: notes }) };
}
