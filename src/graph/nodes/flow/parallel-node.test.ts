import { describe, expect, test } from "bun:test";
import { graph } from "../../builder.ts";
import { survive } from "../../fixtures/crash-harness.ts";
import { controlled, fieldsOf, logs, node, TestState } from "../../fixtures/test-nodes.ts";
import { decisionNode } from "./decision-node.ts";
import { parallelNode } from "./parallel-node.ts";

describe("parallelNode", () => {
  test("runs the nodes it names in parallel and continues after the last of them", async () => {
    const first = controlled("first");
    const second = controlled("second");
    const ended = graph(TestState)
      .start(parallelNode<TestState>({ id: "gather", branches: ["first", "second"] }))
      .then([first.node, second.node])
      .then(node("last"))
      .end()
      .compile()
      .run();
    await Promise.all([first.started, second.started]);
    second.finish();
    first.finish();
    expect((await ended).state.log).toEqual(["first", "second", "last"]);
  });

  test("accepts nodes in place of ids", async () => {
    const gather = parallelNode<TestState>({ id: "gather", branches: [node("a"), node("b"), node("c")] });
    const { state } = await graph(TestState).start(gather).then(node("last")).end().compile().run();
    expect(state.log).toEqual(["a", "b", "c", "last"]);
  });

  test("with a merge function makes one update from the branches' states", async () => {
    const set = (id: string) => node(id, () => ({ stateUpdate: { value: id } }));
    const gather = parallelNode<TestState>({
      id: "gather",
      branches: [set("a"), set("b")],
      merge: (results) => ({ value: [...results].map(([name, { value }]) => `${name}=${value}`).join(" ") }),
    });
    expect((await graph(TestState).start(gather).end().compile().run()).state.value).toBe("a=a b=b");
  });

  test("with any takes the first branch that succeeds", async () => {
    const bad = node("bad", () => {
      throw new Error("no");
    });
    const gather = parallelNode<TestState>({ id: "gather", branches: [bad, node("good")], strategy: "any" });
    expect((await graph(TestState).start(gather).end().compile().run()).state.log).toEqual(["good"]);
  });

  test("fails with its first branch, and a catch after it handles the failure", async () => {
    const bad = node("bad", () => {
      throw new Error("no");
    });
    const gather = parallelNode<TestState>({ id: "gather", branches: [bad, node("good")] });
    const compiled = graph(TestState)
      .start(gather)
      .catch((error) => logs(`took ${error.message}`))
      .end()
      .compile();
    expect((await compiled.run()).state.log).toEqual(["took no"]);
  });

  test("reports a branch that the graph does not have", () => {
    const compile = () =>
      graph(TestState)
        .start(parallelNode<TestState>({ id: "gather", branches: ["lost"] }))
        .end()
        .compile();
    expect(compile).toThrow('"gather" routes to "lost", which is not a node of the graph');
  });

  test("names its tasks by their path, even in a loop", async () => {
    const taskIds: string[] = [];
    const note = (id: string) =>
      node(id, ({ taskId }) => {
        taskIds.push(taskId);
        return { stateUpdate: { total: 1 } };
      });
    const gather = parallelNode<TestState>({ id: "gather", branches: [note("a"), note("b")] });
    await graph(TestState)
      .start(node("s"))
      .loop(gather, { until: ({ total }) => total >= 4, maxIterations: 5 })
      .end()
      .compile()
      .run();
    expect(taskIds).toEqual(["gather[a]/a", "gather[b]/b", "gather#2[a]/a", "gather#2[b]/b"]);
  });

  test("survives a crash at every entry of its journal, snapshots or not", async () => {
    const build: Parameters<typeof survive>[0] = (world) => {
      const work = (id: string) =>
        node(id, async (context) => {
          world.enter(context);
          return { stateUpdate: { log: [id], total: 1, outputs: { [id]: id } } };
        });
      const gather = parallelNode<TestState>({ id: "gather", branches: [work("a"), work("b"), work("c")] });
      const body = graph(TestState).start(gather).then(work("after"));
      return graph(TestState)
        .start(work("first"))
        .loop(body, { until: ({ total }) => total > 6, maxIterations: 3 });
    };
    const calm = await survive(build, { lives: [] });
    expect(calm.fields).toMatchObject({ log: ["first", "a", "b", "c", "after", "a", "b", "c", "after"] });
    for (const options of [{}, { snapshotMinLength: 0 }]) {
      for (let failAfter = 1; failAfter <= calm.writeCount; failAfter++) {
        const survival = await survive(build, { lives: [failAfter], options });
        expect({ failAfter, ...survival, writeCount: 0 }).toEqual({ failAfter, ...calm, writeCount: 0 });
      }
    }
  });
});

test("a decision with several targets runs them in parallel", async () => {
  const triage = decisionNode<TestState>({
    id: "triage",
    routes: [{ condition: () => true, target: ["code", "docs"] }],
  });
  const compiled = graph(TestState)
    .start(triage)
    .then([node("skipped"), node("code"), node("docs")])
    .then(node("last"))
    .end()
    .compile();
  expect(fieldsOf((await compiled.run()).state).log).toEqual(["code", "docs", "last"]);
});
