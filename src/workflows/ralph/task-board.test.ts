import { expect, test } from "bun:test";
import type { Task, TaskStatus } from "../../graph/index.ts";
import { changedTasks, isRepairId, mergeEdits, unfinishedTasks } from "./task-board.ts";

function task(id: string, status: TaskStatus, more: Partial<Task> = {}): Task {
  return { id, name: `Task ${id}`, status, ...more };
}

test.each([
  {
    title: "nothing was changed",
    tasks: [task("a", "passing"), task("b", "pending")],
    edited: [task("a", "passing"), task("b", "pending")],
    expected: [task("a", "passing"), task("b", "pending")],
  },
  {
    title: "the task in the worker's hands is as Ralph knows it, whatever the file says or lacks",
    tasks: [task("a", "passing", { metadata: { summary: "Done." } }), task("b", "pending")],
    edited: [task("b", "pending")],
    currentTaskId: "a",
    expected: [task("a", "passing", { metadata: { summary: "Done." } }), task("b", "pending")],
  },
  {
    title: "another task is as the file has it",
    tasks: [task("a", "passing"), task("b", "pending"), task("c", "pending")],
    edited: [task("a", "pending"), task("b", "skipped"), task("c", "pending", { priority: 1, description: "Now" })],
    expected: [task("a", "pending"), task("b", "skipped"), task("c", "pending", { priority: 1, description: "Now" })],
  },
  {
    title: "in_progress in the file is a mark of Ralph's own",
    tasks: [task("a", "pending"), task("b", "passing")],
    edited: [task("a", "in_progress", { name: "Renamed" }), task("b", "in_progress")],
    expected: [task("a", "pending", { name: "Renamed" }), task("b", "passing")],
  },
  {
    title: "a task that was taken out is skipped, unless it is done",
    tasks: [task("a", "passing"), task("b", "pending"), task("c", "failing")],
    edited: [],
    expected: [task("a", "passing"), task("b", "skipped"), task("c", "failing")],
  },
  {
    title: "a new task is appended",
    tasks: [task("a", "passing")],
    edited: [task("n", "in_progress"), task("a", "passing"), task("m", "skipped")],
    expected: [task("a", "passing"), task("n", "pending"), task("m", "skipped")],
  },
  {
    title: "a repair that Ralph does not know is left from a process that died",
    tasks: [task("a", "passing"), task("repair-1", "passing")],
    edited: [task("a", "passing"), task("repair-1", "passing"), task("repair-2", "pending")],
    expected: [task("a", "passing"), task("repair-1", "passing")],
  },
])("$title", ({ tasks, edited, currentTaskId = "", expected }) => {
  expect(mergeEdits(tasks, edited, currentTaskId)).toEqual(expected);
});

test("only what changed is written down", () => {
  const before = [task("a", "passing", { metadata: { x: [1] } }), task("b", "pending")];
  const after = [task("a", "passing", { metadata: { x: [1] } }), task("b", "skipped"), task("c", "pending")];
  expect(changedTasks(before, after)).toEqual([task("b", "skipped"), task("c", "pending")]);
  expect(changedTasks(before, structuredClone(before))).toEqual([]);
});

test("pending tasks and those in progress are left to do", () => {
  const statuses: readonly TaskStatus[] = ["pending", "in_progress", "passing", "failing", "skipped"];
  const left = unfinishedTasks(statuses.map((status) => task(status, status)));
  expect(left.map(({ id }) => id)).toEqual(["pending", "in_progress"]);
});

test.each([
  ["repair-1", true],
  ["repair-12", true],
  ["repair-", false],
  ["repair-1b", false],
  ["x-repair-1", false],
])("%s is the id of a repair: %p", (id, expected) => {
  expect(isRepairId(id)).toBe(expected);
});
