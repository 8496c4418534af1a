import { expect, test } from "bun:test";
import { annotation, defineState, graph, nodes, script } from "../../graph/index.ts";
import { runWorkflow } from "./run-workflow.ts";

const State = defineState({ prompt: annotation("") });
const { agentNode, parallelNode, sleepNode } = nodes(State);
const ask = (id: string, timeout?: number) =>
  agentNode({ id, buildMessage: () => `Do ${id}.`, ...(timeout === undefined ? {} : { timeout }) });
const NEVER = { delayMs: Number.POSITIVE_INFINITY };
const ADVICE =
  "with delayMs Infinity never comes, and nothing else can happen in the run; set a timeout for the node, or a shorter delayMs.";

test("an agent that never answers a node without a time limit fails the run, after everything else has happened", async () => {
  const both = parallelNode({ id: "both", branches: [ask("slow"), sleepNode({ id: "nap", durationMs: 60_000 })] });
  const result = await runWorkflow(graph(State).start(both).end(), { agent: () => NEVER });
  expect(result.expectFailed().error?.message).toBe(`The reply for the node "slow" ${ADVICE}`);
  expect(result.elapsedMs).toBe(60_000);
  expect(result.visits.map(({ nodeId, status, attempts }) => [nodeId, status, attempts])).toEqual([
    ["both", "completed", 1],
    ["slow", "failed", 1],
    ["nap", "completed", 1],
  ]);
});

test("a wait without an end fails it as well", async () => {
  const wait = { type: "wait", reason: "rate-limit", message: "Full.", ...NEVER } as const;
  const result = await runWorkflow(graph(State).start(ask("slow")).end(), { agent: () => ({ actions: [wait] }) });
  result.expectFailed(`The reply for the node "slow" ${ADVICE}`);
});

test("a test that can cancel the run may have an agent that never answers", async () => {
  const controller = new AbortController();
  const running = runWorkflow(graph(State).start(ask("slow")).end(), {
    agent: () => NEVER,
    signal: controller.signal,
    onEvent: ({ type }) => {
      if (type === "agent-prompt") controller.abort(new Error("Enough."));
    },
  });
  expect((await running).status).toBe("cancelled");
});

test("a script's agents take the time of the virtual clock, one after another and side by side", async () => {
  const review = script(async ({ agent, parallel }) => {
    await agent("First.");
    await parallel([() => agent("Left."), () => agent("Right.")]);
    return "done";
  });
  const delays: Readonly<Record<string, number>> = { "First.": 60_000, "Left.": 30_000, "Right.": 90_000 };
  const result = await runWorkflow(review, { agent: ({ prompt }) => ({ text: "ok", delayMs: delays[prompt] ?? 0 }) });
  expect({ status: result.status, elapsedMs: result.elapsedMs }).toEqual({ status: "completed", elapsedMs: 150_000 });
});

test("a script's agent that never answers fails the run", async () => {
  const review = script(async ({ agent }) => agent("First."));
  const result = await runWorkflow(review, { agent: () => NEVER });
  expect(result.expectFailed().error?.message).toContain(ADVICE);
});

test.each([
  [Number.NaN, "NaN"],
  [-1, "-1"],
])("delayMs %p is rejected by name", async (delayMs, shown) => {
  const result = await runWorkflow(graph(State).start(ask("slow")).end(), { agent: () => ({ delayMs }) });
  result.expectFailed(`The reply for the node "slow" has delayMs ${shown}; it must be a number from 0.`);
});
