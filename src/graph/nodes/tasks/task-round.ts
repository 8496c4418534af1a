import { selectReadyTasks } from "../../model/select-ready-tasks.ts";
import type { Task } from "../../model/task-store.ts";
import type { TaskFailure, UnfinishedTask } from "./task-loop-state.ts";

/** What a task loop looks at between two iterations. */
export interface RoundInput {
  /** The list as it is now. */
  readonly tasks: readonly Task[];
  /** Iterations begun. */
  readonly iteration: number;
  readonly maxIterations: number;
  readonly until: (tasks: readonly Task[]) => boolean;
  readonly select: (tasks: readonly Task[]) => Task | undefined;
}

/** What follows: another iteration, or why there is none. `tasks` is the list as it has to be kept. */
export type Round =
  | { readonly type: "next"; readonly tasks: readonly Task[]; readonly task: Task }
  | { readonly type: "done" | "limit" | "stuck"; readonly tasks: readonly Task[] };

/*
 * Invariants of a list of tasks.
 *
 * 1. A person's word counts: only a task that is still `in_progress` in the list gets the status that the loop gave it.
 * 2. A list belongs to one loop at a time: what else is `in_progress` was left by a process that died, and is pending.
 * 3. Asked again with what they returned, the functions below decide the same: a process may die before a decision is
 *    journaled. How a task ended is kept, and journaled, before a task is begun: it may be the same one again, and that
 *    it is `in_progress` would not tell whether it was done since.
 */

/** The list with how the task of an iteration ended; `current.status` says how, `in_progress` meaning well. */
export function settleTask(tasks: readonly Task[], current: Task): readonly Task[] {
  const status = current.status === "in_progress" ? "passing" : current.status;
  return tasks.map((task) => (task.id === current.id && task.status === "in_progress" ? { ...task, status } : task));
}

/** Decides how a task loop goes on, once the task of the iteration that ended is settled. */
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

/** Whether nothing is left to do. */
export function areTasksComplete(tasks: readonly Task[]): boolean {
  return tasks.every(({ status }) => status === "passing" || status === "skipped");
}

/** The first pending task whose dependencies are all passing. */
export function selectNextTask(tasks: readonly Task[]): Task | undefined {
  return selectReadyTasks(tasks)[0];
}

/** The tasks that are left, and why. */
export function explainUnfinished(
  tasks: readonly Task[],
  failures: Readonly<Record<string, TaskFailure>>,
): readonly UnfinishedTask[] {
  const passing = new Set(tasks.filter(({ status }) => status === "passing").map(({ id }) => id));
  return tasks.flatMap((task) => {
    const { id, name, status } = task;
    if (status === "passing" || status === "skipped") return [];
    const missing = (task.dependencies ?? []).filter((dependency) => !passing.has(dependency));
    return { id, name, status, reason: explain(task, missing, failures[id]) };
  });
}

function explain({ status }: Task, missing: readonly string[], failure: TaskFailure | undefined): string {
  if (status === "failing") return failure === undefined ? "is marked as failing" : `failed: ${failure.message}`;
  return missing.length > 0 ? `waits for ${missing.join(", ")}` : "was not begun";
}
