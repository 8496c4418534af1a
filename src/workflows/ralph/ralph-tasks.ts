import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ExecutionContext, MissingServiceError, type RunServices, type Task } from "../../graph/index.ts";
import { saveTasks } from "../tasks/tasks-file.ts";
import { findingDescription } from "./ralph-prompts.ts";
import type { RalphFinding, RalphState } from "./ralph-state.ts";

/** Whether an id is reserved for tasks that Ralph adds: repairs, corrections, and wishes of a person who resumes. */
export function isOwnId(id: string): boolean {
  return /^(?:repair|review|extra)-\d/.test(id);
}

/** The list of tasks of a run. @throws MissingServiceError */
export function tasksPathOf({ sessionDirectory }: Pick<RunServices, "sessionDirectory">, nodeId: string): string {
  if (sessionDirectory === undefined) throw new MissingServiceError("sessionDirectory", nodeId);
  return join(sessionDirectory, "tasks.json");
}

/** Writes the list, unless an earlier attempt did: people may have edited it since. */
export async function createTaskFile(path: string, tasks: readonly Task[], now = new Date()): Promise<void> {
  if (existsSync(path)) return;
  const at = now.toISOString();
  await saveTasks(path, { version: "1.0", tasks, metadata: { createdAt: at, updatedAt: at, source: "generated" } });
}

type TaskContext = Pick<ExecutionContext<RalphState>, "state" | "services" | "signal" | "nodeId">;

/** The run's tasks, people's edits included. @throws MissingServiceError, and as the store */
export async function readTasks(context: TaskContext): Promise<readonly Task[]> {
  return await editTasks(context, (tasks) => tasks);
}

/** Adds tasks to the run's list, except those that it has already. @throws MissingServiceError, and as the store */
export async function addTasks(context: TaskContext, added: readonly Task[]): Promise<void> {
  await editTasks(context, (tasks) => {
    const known = new Set(tasks.map(({ id }) => id));
    return [...tasks, ...added.filter(({ id }) => !known.has(id))];
  });
}

/** Sets failed tasks to pending. @throws MissingServiceError, and as the store */
export async function retryTasks(context: TaskContext): Promise<readonly Task[]> {
  return await editTasks(context, (tasks) =>
    tasks.map((task): Task => (task.status === "failing" ? { ...task, status: "pending" } : task)),
  );
}

async function editTasks(
  { state, services, signal, nodeId }: TaskContext,
  edit: (tasks: readonly Task[]) => readonly Task[],
): Promise<readonly Task[]> {
  if (services.tasks === undefined) throw new MissingServiceError("tasks", nodeId);
  return await services.tasks.update(state.tasksPath, edit, { signal });
}

/** The tasks that correct findings. Those of one file come one after the other, so that they do not conflict. */
export function findingTasks(findings: readonly RalphFinding[]): readonly Task[] {
  const lastOfFile = new Map<string, string>();
  return findings.map((finding) => {
    const { id, file, title } = finding;
    const before = lastOfFile.get(file);
    lastOfFile.set(file, id);
    const dependencies = before === undefined ? [] : [before];
    return { id, name: title, description: findingDescription(finding), status: "pending", dependencies };
  });
}
