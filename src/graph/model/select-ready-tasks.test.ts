import { expect, test } from "bun:test";
import { selectReadyTasks } from "./select-ready-tasks.ts";
import type { Task } from "./task-store.ts";

function task(id: string, rest: Partial<Task> = {}): Task {
  return { id, name: `Task ${id}`, status: "pending", ...rest };
}

test.each<{ readonly title: string; readonly tasks: readonly Task[]; readonly expected: string[] }>([
  { title: "no tasks", tasks: [], expected: [] },
  {
    title: "only pending tasks are ready",
    tasks: [
      task("a"),
      task("b", { status: "in_progress" }),
      task("c", { status: "passing" }),
      task("d", { status: "failing" }),
      task("e", { status: "skipped" }),
    ],
    expected: ["a"],
  },
  {
    title: "every dependency must be passing",
    tasks: [
      task("a", { status: "passing" }),
      task("b", { status: "skipped" }),
      task("c", { status: "failing" }),
      task("d", { dependencies: ["a"] }),
      task("e", { dependencies: ["a", "b"] }),
      task("f", { dependencies: ["c"] }),
      task("g", { dependencies: ["d"] }),
      task("h", { dependencies: ["unknown"] }),
      task("i", { dependencies: [] }),
    ],
    expected: ["d", "i"],
  },
  {
    title: "a lower priority comes first, equal and missing ones keep their order",
    tasks: [
      task("a"),
      task("b", { priority: 2 }),
      task("c", { priority: 1 }),
      task("d"),
      task("e", { priority: 1 }),
      task("f", { priority: -1 }),
    ],
    expected: ["f", "c", "e", "b", "a", "d"],
  },
])("$title", ({ tasks, expected }) => {
  expect(selectReadyTasks(tasks).map(({ id }) => id)).toEqual(expected);
});
