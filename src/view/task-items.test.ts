import { expect, test } from "bun:test";
import { countDone, type TaskItem, taskItemsOf } from "./task-items.ts";

const LIST: readonly TaskItem[] = [
  { text: "Read", state: "done" },
  { text: "Repairing", state: "in progress" },
  { text: "Test", state: "pending" },
  { text: "Ask", state: "cancelled" },
];

test.each<{ title: string; tool: string; input: unknown; items: readonly TaskItem[] | undefined }>([
  {
    title: "Claude Code's list",
    tool: "TodoWrite",
    input: {
      todos: [
        { content: "Read", status: "completed", activeForm: "Reading" },
        { content: "Repair", status: "in_progress", activeForm: "Repairing" },
        { content: "Test", status: "pending" },
        { content: "Ask", status: "cancelled" },
      ],
    },
    items: LIST,
  },
  {
    title: "Copilot's list, in Markdown",
    tool: "update_todo",
    input: { todos: "# Work\n- [x] Read\n- [~] Repair\n1. [ ] Test" },
    items: [
      { text: "Read", state: "done" },
      { text: "Repair", state: "in progress" },
      { text: "Test", state: "pending" },
    ],
  },
  { title: "an empty list", tool: "todowrite", input: { todos: [] }, items: [] },
  { title: "another tool", tool: "Read", input: { todos: [] }, items: undefined },
  { title: "no list", tool: "plan", input: { todos: 5 }, items: undefined },
  { title: "no input", tool: "plan", input: undefined, items: undefined },
  { title: "a text without boxes", tool: "update_todo", input: { todos: "later" }, items: undefined },
  { title: "a task without a text", tool: "plan", input: { todos: [{ status: "pending" }] }, items: undefined },
  {
    title: "a state that is a name of every object",
    tool: "plan",
    input: { todos: [{ content: "x", status: "constructor" }] },
    items: undefined,
  },
  {
    title: "more tasks than anybody reads",
    tool: "plan",
    input: { todos: Array.from({ length: 501 }, () => ({ content: "x", status: "pending" })) },
    items: undefined,
  },
])("the tasks of a call: $title", ({ tool, input, items }) => {
  expect(taskItemsOf(tool, input)).toEqual(items);
});

test("cancelled tasks do not count", () => {
  expect(countDone(LIST)).toBe("1 of 3 done");
});
