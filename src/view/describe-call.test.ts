import { expect, test } from "bun:test";
import { describeCall } from "./describe-call.ts";

const task = (content: string, status: string) => ({ content, status });

test.each<{ tool: string; input: unknown; expected: string }>([
  { tool: "Bash", input: { command: "ls" }, expected: "ls" },
  {
    tool: "plan",
    input: { todos: [task("a", "completed"), task("b", "pending"), task("c", "in_progress")] },
    expected: "c",
  },
  { tool: "plan", input: { todos: [task("a", "completed"), task("b", "pending")] }, expected: "b" },
  { tool: "plan", input: { todos: [task("a", "completed")] }, expected: "all done" },
  { tool: "plan", input: { todos: [] }, expected: "no tasks" },
  { tool: "plan", input: { todos: 1 }, expected: '{"todos":1}' },
  { tool: "question", input: { questions: [{ question: "Why?" }] }, expected: "Why?" },
  { tool: "question", input: { questions: [{ question: "Why?" }, { question: "How?" }] }, expected: "Why? and 1 more" },
  { tool: "TaskCreate", input: { subject: "Read", description: "All of it" }, expected: "Read (pending)" },
  { tool: "TaskCreate", input: { description: "All of it" }, expected: "All of it" },
  { tool: "TaskUpdate", input: { taskId: "2", status: "in_progress" }, expected: "#2 (in progress)" },
  { tool: "TaskUpdate", input: { taskId: "2", status: "deleted", subject: "Read" }, expected: "Read (cancelled)" },
  { tool: "TaskUpdate", input: { taskId: "2", owner: "me" }, expected: '{"taskId":"2","owner":"me"}' },
  { tool: "TaskUpdate", input: { taskId: 2, status: "pending" }, expected: '{"taskId":2,"status":"pending"}' },
])("a call of $tool is about: $expected", ({ tool, input, expected }) => {
  expect(describeCall(tool, input)).toBe(expected);
});
