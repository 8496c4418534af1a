import { describe, expect, test } from "bun:test";
import type { AgentEventBody, RunEvent } from "../../contracts/index.ts";
import { agentRows } from "./agent-rows.ts";
import { CART_EVENTS, CART_RUN } from "./fixtures/cart-run.ts";
import { agentEvent, nodeEnd, nodeStart, runStart } from "./fixtures/run-events.ts";
import { EMPTY_RUN, reduceRun } from "./run-model.ts";
import { createStepTree } from "./step-tree.ts";

describe("an agent", () => {
  const about = { sessionId: "s" };
  const question = { id: "q", sessionId: "s", question: "Which?", options: [], isMultiple: false };
  const tool = { ...about, toolId: "t", toolName: "Bash", kind: "shell", input: { command: "npm test" } } as const;
  test.each<{ readonly body: AgentEventBody; readonly state: string; readonly activity: string }>([
    { body: { type: "turn-start", ...about }, state: "running", activity: "waiting for the model" },
    { body: { type: "text-delta", ...about, text: "x" }, state: "running", activity: "writing" },
    { body: { type: "thinking-delta", ...about, text: "x" }, state: "running", activity: "thinking" },
    { body: { type: "tool-start", ...tool }, state: "running", activity: "Bash npm test" },
    { body: { type: "question-ask", ...about, question }, state: "asks", activity: "asks you" },
    {
      body: { type: "waiting", ...about, reason: "rate-limit", message: "", retryAt: Date.UTC(2026, 0, 1, 14, 5) },
      ...{ state: "waiting", activity: "rate limit, resumes 14:05" },
    },
    {
      body: { type: "waiting", ...about, reason: "machine-limit", message: "" },
      ...{ state: "waiting", activity: "other agents run first" },
    },
    { body: { type: "turn-end", ...about, outcome: "completed" }, state: "running", activity: "between turns" },
  ])("that last reported $body.type: $activity", ({ body, state, activity }) => {
    const events: readonly RunEvent[] = [
      ...[runStart(1), nodeStart("work")],
      agentEvent("work", { type: "turn-start", ...about }, 3),
      agentEvent("work", body, 4),
    ];
    const [row] = agentRows(reduceRun(EMPTY_RUN, events), []);
    expect({ state: row?.state, activity: row?.activity }).toEqual({ state, activity } as object as never);
  });
});

test("agents that work are first, then the latest that are done, each with what is known of its model", () => {
  const model = reduceRun(EMPTY_RUN, CART_EVENTS);
  const tree = createStepTree(CART_RUN.steps, model.visits.values());
  const rows = agentRows(model, tree, { fallback: CART_RUN });
  expect(rows.map(({ name, about, title }) => [name, about.join(" "), title])).toEqual([
    ["worker 2", "opencode", "Task 4: quantity of 0"],
    ["worker 3", "claude sonnet", "Task 7: currency"],
    ["explorer", "", ""],
    ["worker 4", "copilot", "Task 8: rounding"],
    ["worker 1", "claude sonnet", "Task 1: names"],
    ["Plan the tasks", "claude opus", ""],
  ]);
  const ofOne = agentRows(model, tree, { taskIds: new Set(["plan"]) });
  expect(ofOne.map(({ name }) => name)).toEqual(["Plan the tasks"]);
});

test.each([
  { isSkipped: true, state: "skipped" },
  { isSkipped: false, state: "done" },
] as const)("an agent of a step that ended with $isSkipped is $state", ({ isSkipped, state }) => {
  const events: readonly RunEvent[] = [
    ...[runStart(1), nodeStart("work")],
    agentEvent("work", { type: "turn-start", sessionId: "s" }, 3),
    { ...nodeEnd("work", 4), ...(isSkipped ? { isSkipped } : {}) },
  ];
  expect(agentRows(reduceRun(EMPTY_RUN, events), []).map((row) => row.state)).toEqual([state]);
});
