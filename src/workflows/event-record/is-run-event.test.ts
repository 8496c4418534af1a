import { expect, test } from "bun:test";
import { NO_USAGE } from "../../contracts/index.ts";
import { isRunEvent } from "./is-run-event.ts";

const RUN = { runId: "r", at: 1 } as const;
const NODE = { ...RUN, nodeId: "plan", taskId: "plan" } as const;
const QUESTION = { id: "q", nodeId: "plan", question: "Ship?", askedAt: 1 };
const agent = (event: object) => ({ ...NODE, type: "agent", event: { sessionId: "s", at: 1, ...event } });

test.each<{ readonly event: object }>([
  { event: { ...RUN, type: "run-start", workflow: "w", isResume: false } },
  { event: { ...RUN, type: "run-end", status: "failed", usage: NO_USAGE, error: { code: "X", message: "no" } } },
  { event: { ...NODE, type: "tasks", tasks: [{ id: "1", name: "One", status: "passing" }] } },
  { event: { ...NODE, type: "request", request: { ...QUESTION, options: [{ label: "yes" }] } } },
  { event: agent({ type: "text-delta", text: "Hello" }) },
  { event: agent({ type: "usage", usage: { ...NO_USAGE, costUsd: 1 } }) },
  { event: { ...RUN, type: "checkpoint" } },
])("$event is an event", ({ event }) => {
  expect(isRunEvent(event)).toBe(true);
});

test.each<{ readonly event: unknown }>([
  { event: null },
  { event: { ...RUN, type: "new" } },
  { event: { ...RUN, type: "tasks" } },
  { event: { ...NODE, type: "tasks", tasks: [{ id: "1", name: "One", status: "odd" }] } },
  { event: { ...RUN, type: "run-start" } },
  { event: { ...RUN, type: "run-start", workflow: "w", at: Number.POSITIVE_INFINITY } },
  { event: { ...RUN, type: "run-start", workflow: "w", at: 1e300 } },
  { event: { ...RUN, type: "run-end", status: "completed" } },
  { event: { ...RUN, type: "run-end", status: "odd", usage: NO_USAGE } },
  { event: { ...NODE, type: "node-error", attempt: 1 } },
  { event: { ...NODE, type: "node-sleep", until: "tomorrow" } },
  { event: { ...NODE, type: "request", request: { ...QUESTION, options: [null] } } },
  { event: { ...RUN, type: "log", message: "without a visit" } },
  { event: { ...NODE, type: "agent" } },
  { event: agent({ type: "new" }) },
  { event: agent({ type: "tool-end", toolId: "t", toolName: "x" }) },
  { event: agent({ type: "usage", usage: {} }) },
])("$event is none", ({ event }) => {
  expect(isRunEvent(event)).toBe(false);
});
