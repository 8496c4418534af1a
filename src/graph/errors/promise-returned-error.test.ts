import { expect, test } from "bun:test";
import { failing, logs, node, TestState } from "../fixtures/test-nodes.ts";
import { criteriaLoopFields, criteriaLoopNode, decisionNode, defineState, graph, toolNode } from "../index.ts";

// The casts stand in for files that are not type-checked. A rejection that nobody handles would fail the test.
const later = (async () => {
  throw new Error("never seen");
}) as never;
const begun = () => graph(TestState).start(node("begin"));
const promised = (option: string, owner: string): string =>
  `The function "${option}" of "${owner}" returned a promise, which it cannot wait for. Return the value itself: wait in a node, and keep the result in the state.`;

test.each([
  { option: "condition", owner: "if_1", build: () => begun().if(later).then(node("yes")).endif() },
  { option: "until", owner: "loop_1", build: () => begun().loop(node("body"), { until: later, maxIterations: 2 }) },
  { option: "items", owner: "map_1", build: () => begun().map(later, node("body")) },
  {
    option: "condition",
    owner: "decide",
    build: () =>
      begun()
        .then(decisionNode({ id: "decide", routes: [{ condition: later, target: "last" }], fallback: "other" }))
        .then(node("other"))
        .then(node("last")),
  },
  { option: "args", owner: "tool", build: () => begun().then(toolNode({ id: "tool", args: later, execute: String })) },
  {
    option: "retryOn",
    owner: "fails",
    build: () => begun().then(failing("fails", "no", { retry: { maxAttempts: 2, backoffMs: 0, retryOn: later } })),
  },
])("a promise from $option fails the step instead of counting as a value", async ({ option, owner, build }) => {
  const { status, state, errorInfo } = await build().end().compile().run({});
  expect([status, state.log, errorInfo?.code, errorInfo?.message]).toEqual([
    "failed",
    ["begin"],
    "PROMISE_RETURNED",
    promised(option, owner),
  ]);
});

test("a loop that looks for its signal in a promise fails instead of running on", async () => {
  const Criteria = defineState({ ...criteriaLoopFields });
  const work = toolNode({ id: "work", execute: () => "COMPLETE" });
  const loop = criteriaLoopNode({ id: "loop", taskNodes: work, output: later });
  const { errorInfo } = await graph(Criteria).start(loop).end().compile().run({});
  expect(errorInfo?.message).toMatch(/^The function "output" of "loop.*" returned a promise/);
});

test("anything that can be awaited counts as a promise, and an object with another `then` does not", async () => {
  // Biome's rule against objects with a `then` is right, except about this test.
  const awaitable = Object.fromEntries([["then", () => undefined]]) as never;
  const plain = Object.fromEntries([["then", true]]) as never;
  const outcome = async (value: never) => {
    const compiled = begun()
      .if(() => value)
      .then(node("yes", () => logs("yes")))
      .endif()
      .end()
      .compile();
    const { state, errorInfo } = await compiled.run({});
    return errorInfo?.code ?? state.log;
  };
  expect([await outcome(awaitable), await outcome(plain)]).toEqual(["PROMISE_RETURNED", ["begin", "yes"]]);
});
