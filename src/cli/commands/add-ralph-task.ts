import { join } from "node:path";
import type { Task } from "../../graph/index.ts";
import { createTaskStore, RALPH_METADATA, TasksFileNotFoundError } from "../../workflows/index.ts";
import { readText } from "../config/read-text.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { Workspace } from "../workspace.ts";

/** How much of a prompt is the name of its task, in characters. */
const MAX_NAME_LENGTH = 80;

/**
 * Adds what a person says to the tasks of an unfinished run of Ralph, unless the run has it already.
 *
 * @throws UsageError for another run, for one that is completed, and for one that has not planned its tasks
 */
export async function addRalphTask(environment: CliEnvironment, run: string, prompt: string): Promise<void> {
  const workspace = new Workspace(environment);
  const { store, runs } = workspace;
  const id = await store.resolveId(run);
  const session = await store.load(id);
  const text = workspace.redactor.text((await readText(prompt, environment)).trim());
  if (text === "") throw new UsageError("The prompt is empty. Say what else to do, or leave it out.");
  if (session.workflowName !== RALPH_METADATA.name || session.settings?.isBuiltIn !== true) {
    throw new UsageError(`The run ${id} is none of atomic ralph. Resume it: atomic runs resume ${id}`);
  }
  if ((await runs.status(session)) === "completed") {
    throw new UsageError(`The run ${id} is completed. Start another one: atomic ralph "…"`);
  }
  if (await runs.isLive(id)) {
    throw new UsageError(
      `The run ${id} works now. Add the task to ${join(store.directoryOf(id), "tasks.json")}, or wait for its end.`,
    );
  }
  const addTo = (tasks: readonly Task[]): readonly Task[] => {
    if (tasks.some(({ description }) => description === text)) return tasks;
    const numbers = tasks.map((task) => Number(/^extra-(\d+)$/.exec(task.id)?.[1] ?? 0));
    const task: Task = {
      id: `extra-${Math.max(0, ...numbers) + 1}`,
      name: nameOf(text),
      description: text,
      status: "pending",
    };
    return [...tasks, task];
  };
  try {
    await createTaskStore().update(join(store.directoryOf(id), "tasks.json"), addTo);
  } catch (error) {
    if (!(error instanceof TasksFileNotFoundError)) throw error;
    throw new UsageError(`The run ${id} has no tasks yet. Resume it without a prompt.`);
  }
}

function nameOf(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_NAME_LENGTH ? `${line.slice(0, MAX_NAME_LENGTH - 1)}…` : line;
}
