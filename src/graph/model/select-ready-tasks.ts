import type { Task } from "./task-store.ts";

/**
 * The tasks that can start now: pending, with only passing dependencies. A skipped or failed dependency blocks its
 * dependents. Sorted by priority, then by their order in the list.
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
