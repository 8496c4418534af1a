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
])("a call of $tool is about: $expected", ({ tool, input, expected }) => {
  expect(describeCall(tool, input)).toBe(expected);
});
