import { expect, test } from "bun:test";
import { NO_USAGE } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";

/** Runs a node that emits this. The cast is what a file without types could do. */
async function emitting(event: unknown) {
  const emits = node("a", ({ emit }) => void emit(event as never));
  return await graph(TestState).start(emits).end().compile().run();
}

const TYPES =
  '"agent", "agent-prompt", "agent-session", "usage", "command-start", "command-end", "context-window", "debug-report", "log", "tasks" or "warning"';

test.each([
  { event: undefined, problem: 'was given undefined; give it an event, for example { type: "log", message: "…" }' },
  { event: "hello", problem: 'was given "hello"; give it an event, for example { type: "log", message: "…" }' },
  { event: { type: "log" }, problem: "has no message; give it a text" },
  { event: { type: "log", message: 5 }, problem: "has message 5; it must be a text" },
  { event: { type: "run-end" }, problem: `was given the type "run-end"; a node emits ${TYPES}` },
  { event: { message: "x" }, problem: `was given the type undefined; a node emits ${TYPES}` },
  {
    event: { type: "usage", usage: { ...NO_USAGE, inputTokens: "5" } },
    problem: 'has usage.inputTokens "5"; it must be a number from 0',
  },
])("a node fails that emits $event", async ({ event, problem }) => {
  const { status, errorInfo, usage } = await emitting(event);
  expect([status, errorInfo, usage]).toMatchObject([
    "failed",
    { code: "EVENT_INVALID", nodeId: "a", message: `emit() of the node "a" ${problem}.` },
    NO_USAGE,
  ]);
});

test.each([
  { event: { type: "log", message: "x" } },
  { event: { type: "log", message: "x", level: "info" } },
  { event: { type: "usage", usage: { ...NO_USAGE, outputTokens: 5 } } },
  { event: { type: "context-window", action: "none" } },
])("a node may emit $event", async ({ event }) => {
  expect((await emitting(event)).status).toBe("completed");
});
