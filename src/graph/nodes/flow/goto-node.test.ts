import { expect, test } from "bun:test";
import { graph } from "../../builder.ts";
import { node, TestState } from "../../fixtures/test-nodes.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";

test("goto() goes back while a condition is true, and forward otherwise", async () => {
  const compiled = graph(TestState)
    .start(node("try"))
    .if(({ log }) => log.length < 3)
    .goto("try")
    .endif()
    .then(node("after"))
    .end()
    .compile();
  expect((await compiled.execute()).log).toEqual(["try", "try", "try", "after"]);
  expect(compiled.toMermaid()).toContain("Go to try");
});

test("goto() skips the steps in between, and leaves loops", async () => {
  const body = graph(TestState)
    .start(node("work"))
    .if(({ log }) => log.length === 2)
    .goto("end", { id: "enough" })
    .endif();
  const compiled = graph(TestState)
    .loop(body, { maxIterations: 9 })
    .then(node("between"))
    .then(node("end"))
    .end()
    .compile();
  expect((await compiled.execute()).log).toEqual(["work", "work", "end"]);
});

test("a cycle of goto() ends at the run's limit", async () => {
  const compiled = graph(TestState).start(node("again")).goto("again").end().compile({ maxSteps: 50 });
  const { status, errorInfo } = await compiled.run();
  expect([status, errorInfo?.code]).toEqual(["failed", "RUN_LIMIT"]);
});

/** A node that never goes anywhere by itself. */
const still = (id: string) => node(id, undefined, { targets: [] });

test.each([
  {
    title: "to nowhere",
    build: () => graph(TestState).start(node("a")).goto("b"),
    problem: '"goto_1" routes to "b", which is not a node of the graph',
  },
  {
    title: "into another branch",
    build: () =>
      graph(TestState)
        .parallel([[node("a")], [node("b")]])
        .goto("a"),
    problem: '"goto_1" routes to "a"',
  },
  {
    title: "past what nothing else leads to",
    build: () =>
      graph(TestState)
        .start(still("a"))
        .goto("c")
        .then([still("b"), still("c")]),
    problem: 'no path leads to "b"',
  },
])("goto() $title is rejected", ({ build, problem }) => {
  const targeted = build().end();
  expect(() => targeted.compile()).toThrow(problem);
});

test("label() names a checkpoint that a run can be forked from", async () => {
  const compiled = graph(TestState)
    .start(node("plan"))
    .label("planned")
    .then(node("build"))
    .end()
    .compile({ checkpointer: new MemorySaver() });
  const { runId } = await compiled.run();
  const planned = (await compiled.history(runId)).find(({ label }) => label === "planned");
  expect((await compiled.stateAt(runId, planned?.sequence ?? 0)).log).toEqual(["plan"]);
  const forked = await compiled.fork(runId, { at: planned?.sequence ?? 0, update: { log: ["forked"] } });
  expect(forked.state.log).toEqual(["plan", "forked", "build"]);
});
