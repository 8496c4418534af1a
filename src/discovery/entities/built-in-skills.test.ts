import { expect, test } from "bun:test";
import { selectReadyTasks } from "../../graph/index.ts";
import { tasksFileSchema } from "../../workflows/tasks/task.ts";
import { parseTasks } from "../../workflows/tasks/tasks-file.ts";
import { BUILT_IN_SKILLS } from "./built-in-skills.ts";
import { toolProblemsOf } from "./tool-problems.ts";

const promptOf = (skill: string): string => BUILT_IN_SKILLS.find(({ name }) => name === skill)?.prompt ?? "";

test("every skill has an argument hint, and no misspelled tools", () => {
  expect(BUILT_IN_SKILLS.filter(({ argumentHint = "" }) => !/^[<[].+[\]>]$/.test(argumentHint))).toEqual([]);
  expect(
    BUILT_IN_SKILLS.flatMap(({ fields }) => toolProblemsOf(fields, { type: "skill", provider: "atomic" })),
  ).toEqual([]);
});

test("the list that create-feature-list shows is a tasks.json with all of its fields, and work can start on it", () => {
  const [, block = ""] = /```json\n([\s\S]*?)\n```/.exec(promptOf("create-feature-list")) ?? [];
  const { tasks, metadata } = parseTasks(block, "research/tasks.json");
  const { tasks: list } = tasksFileSchema.shape;
  expect(Object.keys(tasks[0] ?? {}).sort()).toEqual(Object.keys(list.element.shape).sort());
  expect(metadata).toEqual({
    createdAt: "2024-05-01T09:30:00.000Z",
    updatedAt: "2024-05-01T09:30:00.000Z",
    source: "spec",
  });
  expect(selectReadyTasks(tasks).map(({ id }) => id)).toEqual(["1"]);
});

test("both skills for task lists name every status of a task that they may meet", () => {
  const { status } = tasksFileSchema.shape.tasks.element.shape;
  const statuses: readonly string[] = status.unwrap().options;
  const missing = (skill: string) => statuses.filter((name) => !promptOf(skill).includes(`\`${name}\``));
  expect([missing("create-feature-list"), missing("implement-feature")]).toEqual([[], ["skipped"]]);
});
