import type { Task } from "./task-store.ts";

/**
 * The tasks that can be started now: pending, with all dependencies passing. A dependency that was skipped or failed
 * holds its dependents back. By priority, and in the order of the list where that is equal or missing.
 */
export function selectReadyTasks(tasks: readonly Task[]): readonly Task[] {
  const passing = new Set(tasks.filter((task) => task.status === "passing").map((task) => task.id));
  return tasks
    .filter((task) => task.status === "pending" && (task.dependencies ?? []).every((id) => passing.has(id)))
    .sort((left, right) => comparePriority(left.priority, right.priority));
}

function comparePriority(left = Number.POSITIVE_INFINITY, right = Number.POSITIVE_INFINITY): number {
  return left === right ? 0 : left - right;
}
