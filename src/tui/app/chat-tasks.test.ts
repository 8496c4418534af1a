import { expect, test } from "bun:test";
import type { ChatEntry, ToolEntry } from "../chat/chat-entry.ts";
import { agentTasks, chatTasks, taskListRows } from "./chat-tasks.ts";

function call(toolName: string, input: unknown, status: ToolEntry["status"] = "done"): ChatEntry {
  const id = `${toolName} ${JSON.stringify(input)}`;
  return { type: "tool", id, at: 0, toolId: id, toolName, kind: "other", input, status, output: "" };
}

const CLAUDE = call("TodoWrite", {
  todos: [
    { content: "Read the cart", status: "completed", activeForm: "Reading the cart" },
    { content: "Repair the total", status: "in_progress", activeForm: "Repairing the total" },
    { content: "Add a test", status: "pending", activeForm: "Adding a test" },
  ],
});
const OPENCODE = call("todowrite", {
  todos: [
    { id: "a", content: "Find the bug", status: "in_progress", priority: "high" },
    { id: "b", content: "Ask", status: "cancelled", priority: "low" },
  ],
});
const TASKS_OF_CLAUDE = [
  { id: "1", name: "Read the cart", status: "passing" },
  { id: "2", name: "Repairing the total", status: "in_progress" },
  { id: "3", name: "Add a test", status: "pending" },
] as const;

test("the agent's tasks are those of the last call that wrote them", () => {
  expect(agentTasks([OPENCODE, CLAUDE])).toEqual(TASKS_OF_CLAUDE);
  expect(agentTasks([CLAUDE, call("Read", { todos: [] }), OPENCODE])).toEqual([
    { id: "1", name: "Find the bug", status: "in_progress" },
    { id: "2", name: "Ask", status: "skipped" },
  ]);
  const copilot = call("update_todo", { todos: "- [x] Read\n- [ ] Write" });
  expect(agentTasks([CLAUDE, copilot])).toEqual([
    { id: "1", name: "Read", status: "passing" },
    { id: "2", name: "Write", status: "pending" },
  ]);
});

test("tasks that are created and changed one by one make one list", () => {
  const created = (subject: string, output: string): ChatEntry => ({
    ...(call("TaskCreate", { subject, description: "All of it" }) as ToolEntry),
    output,
  });
  const entries = [
    created("Read the cart", "Task #1 created successfully: Read the cart"),
    created("Repair the total", "Task #2 created successfully: Repair the total"),
    created("Ask", ""),
    call("TaskUpdate", { taskId: "1", status: "completed" }),
    call("TaskUpdate", { taskId: "2", status: "in_progress", subject: "Repair all totals" }),
    call("TaskUpdate", { taskId: "3", status: "deleted" }),
    call("TaskUpdate", { taskId: "3", status: "completed" }, "failed"),
    call("TaskUpdate", { taskId: "9", status: "completed" }),
  ];
  expect(agentTasks(entries)).toEqual([
    { id: "1", name: "Read the cart", status: "passing" },
    { id: "2", name: "Repair all totals", status: "in_progress" },
    { id: "3", name: "Ask", status: "skipped" },
    { id: "9", name: "#9", status: "passing" },
  ]);
  expect(agentTasks([...entries, CLAUDE])).toEqual(TASKS_OF_CLAUDE);
});

test("a call that failed, was denied or has no list changes nothing; an empty list ends the tasks", () => {
  const bad = [
    call("TodoWrite", { todos: [] }, "failed"),
    call("TodoWrite", { todos: [] }, "denied"),
    call("TodoWrite", "text"),
    call("TodoWrite", { todos: "text" }),
    call("TodoWrite", { todos: [{ content: 5, status: "constructor" }, "damaged"] }),
  ];
  expect(agentTasks([CLAUDE, ...bad])).toEqual(TASKS_OF_CLAUDE);
  expect(agentTasks([CLAUDE, call("TodoWrite", { todos: [] }, "running")])).toEqual([]);
  expect(agentTasks([])).toEqual([]);
});

test("the tasks of commands precede those of the agent, and keep their ids", () => {
  const board = [
    { id: "1", content: "Plan", status: "completed" },
    { content: "Work", status: "pending", blockedBy: ["1"] },
  ] as const;
  expect(chatTasks(board, [call("todowrite", { todos: [{ content: "Look", status: "pending" }] })])).toEqual([
    { id: "1", name: "Plan", status: "passing", dependsOn: [] },
    { id: "2", name: "Work", status: "pending", dependsOn: ["1"] },
    { id: "agent 1", name: "Look", status: "pending" },
  ]);
});

test.each([
  { count: 0, height: 40, rows: 1 },
  { count: 3, height: 40, rows: 3 },
  { count: 30, height: 40, rows: 7 },
  { count: 30, height: 24, rows: 5 },
  { count: 30, height: 5, rows: 1 },
])("of $count tasks, $rows are shown in a terminal of $height rows", ({ count, height, rows }) => {
  expect(taskListRows(count, height)).toBe(rows);
});
