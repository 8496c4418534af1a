import { selectReadyTasks } from "../../model/select-ready-tasks.ts";
import type { Task } from "../../model/task-store.ts";
import { failureOf, type TaskFailure, type UnfinishedTask } from "./task-loop-state.ts";

/** The input of the decision between two iterations. */
export interface RoundInput {
  /** The current list. */
  readonly tasks: readonly Task[];
  /** The number of started iterations. */
  readonly iteration: number;
  readonly maxIterations: number;
  readonly until: (tasks: readonly Task[]) => boolean;
  readonly select: (tasks: readonly Task[]) => Task | undefined;
}

/** Another iteration, or why there is none. `tasks` is the list to store. */
export type Round =
  | { readonly type: "next"; readonly tasks: readonly Task[]; readonly task: Task }
  | { readonly type: "done" | "limit" | "stuck"; readonly tasks: readonly Task[] };

/*
 * Invariants of a task list:
 *
 * 1. A person's edit wins: the loop sets the status of a task only if it is still `in_progress` in the list.
 * 2. A list belongs to one loop at a time: any other task that is `in_progress` was left by a dead process, and is pending.
 * 3. The functions below decide the same when called again with the list that they returned: the process may die before
 *    the decision is journaled. The outcome of a task is stored and journaled before the next task starts. That may be the
 *    same task, and its status `in_progress` would not show whether it has run in between.
 */

/** Returns the list with the outcome of an iteration's task: `current.status`, where `in_progress` means success. */
export function settleTask(tasks: readonly Task[], current: Task): readonly Task[] {
  const status = current.status === "in_progress" ? "passing" : current.status;
  return tasks.map((task) => (task.id === current.id && task.status === "in_progress" ? { ...task, status } : task));
}

/** Decides how a task loop continues after the task of the last iteration is settled. */
export function planRound(input: RoundInput): Round {
  const tasks = input.tasks.map((task) => (task.status === "in_progress" ? setPending(task) : task));
  if (input.until(tasks)) return { type: "done", tasks };
  const task = input.select(tasks);
  if (task === undefined) return { type: "stuck", tasks };
  if (input.iteration >= input.maxIterations) return { type: "limit", tasks };
  const taken: Task = { ...task, status: "in_progress" };
  return { type: "next", task: taken, tasks: tasks.map((other) => (other.id === task.id ? taken : other)) };
}

function setPending(task: Task): Task {
  return { ...task, status: "pending" };
}

/** Whether every task is passing or skipped. */
export function areTasksComplete(tasks: readonly Task[]): boolean {
  return tasks.every(({ status }) => status === "passing" || status === "skipped");
}

/** The first pending task whose dependencies are all passing. */
export function selectNextTask(tasks: readonly Task[]): Task | undefined {
  return selectReadyTasks(tasks)[0];
}

/** The unfinished tasks, and why. */
export function explainUnfinished(
  tasks: readonly Task[],
  failures: Readonly<Record<string, TaskFailure>>,
): readonly UnfinishedTask[] {
  const passing = new Set(tasks.filter(({ status }) => status === "passing").map(({ id }) => id));
  return tasks.flatMap((task) => {
    const { id, name, status } = task;
    if (status === "passing" || status === "skipped") return [];
    const missing = (task.dependencies ?? []).filter((dependency) => !passing.has(dependency));
    return { id, name, status, reason: explain(task, missing, failureOf(failures, id)) };
  });
}

/** The rest is in the list of tasks. */
function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

function explain({ status }: Task, missing: readonly string[], failure: TaskFailure | undefined): string {
  if (status === "failing")
    return failure === undefined ? "is marked as failing" : `failed: ${firstLine(failure.message)}`;
  return missing.length > 0 ? `waits for ${missing.join(", ")}` : "was not begun";
}
