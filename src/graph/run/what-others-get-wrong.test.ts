import { expect, test } from "bun:test";
import { type GraphBuilder, graph } from "../builder.ts";
import { GraphChangedError, InvalidAnswerError, LoopLimitError } from "../errors/errors.ts";
import { UnknownStateFieldError } from "../errors/update-errors.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { controlled, logs, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

/*
 * What other engines for workflows were seen to get wrong, one test each. A chain of 400 nodes that the compiler takes is
 * in scripts/type-programs.test.ts, journals that do not keep every state for ever in compact-run.slow.ts, processes that
 * resume a run together in resume-race.soak.ts.
 */

const gate = waitNode<TestState>({ id: "gate", inputMapper: (answer) => ({ log: [answer] }) });

test("an answer is validated", async () => {
  const compiled = graph(TestState).start(gate).end().compile({ checkpointer: new MemorySaver() });
  await compiled.run({}, { runId: "r" });
  expect(await rejectionOf(compiled.resume("r", { gate: 42 }))).toBeInstanceOf(InvalidAnswerError);
  expect((await compiled.resume("r", { gate: "yes" })).status).toBe("completed");
});

test("a node that asks does not run again when its question is answered", async () => {
  let count = 0;
  const ask: NodeDefinition<TestState> = {
    id: "ask",
    type: "wait",
    execute: () => ({ request: { question: `Asked ${++count} times?` } }),
    applyAnswer: (answer) => ({ log: [String(answer)] }),
  };
  const compiled = graph(TestState).start(ask).end().compile({ checkpointer: new MemorySaver() });
  await compiled.run({}, { runId: "r" });
  const { state } = await compiled.resume("r", { ask: "once" });
  expect([state.log, count]).toEqual([["once"], 1]);
});

test("a finished branch does not run again after a crash in another branch", async () => {
  const begun: string[] = [];
  const step = (id: string) =>
    node(id, () => {
      begun.push(id);
      return logs(id);
    });
  const compiled = graph(TestState)
    .parallel([step("quick"), [step("one"), step("two"), step("three")]])
    .end()
    .compile();
  const saver = new MemorySaver();
  // The beginning, `quick` and `one` are kept.
  await rejectionOf(compiled.run({}, { runId: "r", checkpointer: new FaultySaver(saver, { failAfter: 3 }) }));
  const { state } = await compiled.resume("r", {}, { checkpointer: saver });
  expect([state.log, begun.filter((id) => id === "quick" || id === "one")]).toEqual([
    ["quick", "one", "two", "three"],
    ["quick", "one"],
  ]);
});

test("the step after branches of different lengths runs once, when all have ended", async () => {
  const chain = (name: string, length: number) =>
    Array.from({ length }, (_, index) => node(`${name}${index + 1}`, async () => logs(`${name}${index + 1}`)));
  const compiled = graph(TestState)
    .parallel([chain("a", 1), chain("b", 4), chain("c", 2)])
    .then(node("join"))
    .end()
    .compile();
  expect((await compiled.execute()).log).toEqual(["a1", "b1", "b2", "b3", "b4", "c1", "c2", "join"]);
});

test("a node that was renamed while it waited is an error that names it, not a silent end", async () => {
  const checkpointer = new MemorySaver();
  await graph(TestState).start(gate).end().compile().run({}, { runId: "r", checkpointer });
  const renamed = graph(TestState)
    .start({ ...gate, id: "approval" })
    .end()
    .compile();
  const { message } = new GraphChangedError("r", ['the node "gate" is gone', 'the node "approval" is new']);
  await expect(renamed.resume("r", { gate: "yes" }, { checkpointer })).rejects.toThrow(message);
});

test.each([
  {
    title: "an unknown field",
    build: (builder: GraphBuilder<TestState>) =>
      // The cast is what a program without types would do.
      builder.start(node("x", () => ({ stateUpdate: { lgo: ["x"] } as never }))),
    expected: new UnknownStateFieldError("lgo", ["outputs", "log", "total", "value", "isDone"]).message,
  },
])("$title in an update is an error", async ({ build, expected }) => {
  const { status, errorInfo } = await build(graph(TestState)).end().compile().run();
  expect([status, errorInfo?.message, errorInfo?.nodeId]).toEqual(["failed", expected, "x"]);
});

test("a route to nowhere is rejected before anything runs", () => {
  const route = decisionNode<TestState>({ id: "route", routes: [], fallback: "nowhere" });
  expect(() => graph(TestState).start(route).end().compile()).toThrow(
    '"route" routes to "nowhere", which is not a node of the graph',
  );
});

test("a step that fails stops its siblings, and the error names the step", async () => {
  const [slow, broken] = [controlled("slow"), controlled("broken")];
  const running = graph(TestState).parallel([slow.node, broken.node]).end().compile().run();
  await slow.started;
  broken.fail(new Error("no luck"));
  expect(await slow.aborted).toBeInstanceOf(Error);
  expect((await running).errorInfo).toEqual({ code: "NODE_FAILED", message: "no luck", nodeId: "broken" });
});

test("a loop that never ends is ended", async () => {
  const compiled = graph(TestState)
    .loop(
      node("again", () => undefined),
      { id: "forever", until: () => false },
    )
    .end()
    .compile();
  expect((await compiled.run()).errorInfo?.message).toBe(new LoopLimitError("forever", 1_000).message);
});
