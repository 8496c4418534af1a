import { describe, expect, test } from "bun:test";
import { graph } from "./builder.ts";
import { failing, fieldsOf, logs, node, TestState } from "./fixtures/test-nodes.ts";
import { MemorySaver } from "./savers/memory-saver.ts";
import type { BaseState } from "./state/annotation.ts";

const [a, b, c] = [node("a"), node("b"), node("c")];

/** A node that adds to `total`. */
function add(id: string, amount: number) {
  return node(id, () => ({ stateUpdate: { log: [id], total: amount } }));
}

describe("the builder", () => {
  test("accepts a list of nodes or an uncompiled graph as a step", async () => {
    const inner = graph(TestState)
      .start(b)
      .then([c, node("d")]);
    const compiled = graph(TestState)
      .start([a, node("a2")])
      .then(inner)
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["a", "a2", "b", "c", "d"]);
  });

  test("can start with a loop, a parallel step or an if()", async () => {
    const loop = graph(TestState).loop(a, { maxIterations: 2 }).end().compile();
    const parallel = graph(TestState).parallel([a, b]).end().compile();
    const branch = graph(TestState)
      .if((state) => state.total > 0)
      .then(a)
      .else()
      .then(b)
      .endif()
      .end()
      .compile();
    const logsOf = await Promise.all([loop, parallel, branch].map(async (compiled) => (await compiled.execute()).log));
    expect(logsOf).toEqual([["a", "a"], ["a", "b"], ["b"]]);
  });

  test.each<{ total: number; log: string[] }>([
    { total: 0, log: ["else"] },
    { total: 1, log: ["then"] },
    { total: 2, log: ["then", "inner"] },
  ])("takes the branch that fits total $total in nested ifs", async ({ total, log }) => {
    const compiled = graph(TestState)
      .if((state) => state.total > 0)
      .then(node("then"))
      .if((state) => state.total > 1)
      .then(node("inner"))
      .endif()
      .else()
      .then(node("else"))
      .endif()
      .end()
      .compile();
    expect((await compiled.execute({ total })).log).toEqual(log);
  });

  test("skips an if() without else() whose condition is false, and an empty one", async () => {
    const compiled = graph(TestState)
      .start(a)
      .if(() => false)
      .then(b)
      .endif()
      .if(() => true)
      .endif()
      .then(c)
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["a", "c"]);
  });

  test("nests an if in a loop in a parallel branch in an if", async () => {
    const branch = graph(TestState).loop(
      graph(TestState)
        .start(add("tick", 1))
        .if((state) => state.total % 2 === 0)
        .then(node("even"))
        .else()
        .then(node("odd"))
        .endif(),
      { until: (state) => state.total >= 3 },
    );
    const compiled = graph(TestState)
      .start(a)
      .if((state) => state.log.length === 1)
      .parallel([branch, [b, c]])
      .endif()
      .then(node("last"))
      .end()
      .compile();
    expect(fieldsOf(await compiled.execute())).toEqual({
      log: ["a", "tick", "odd", "tick", "even", "tick", "odd", "b", "c", "last"],
      total: 3,
      value: "",
      isDone: false,
      outputs: {},
    });
  });

  test("waits with a question, with settings, or with neither", async () => {
    const saver = new MemorySaver();
    const compiled = graph(TestState)
      .wait()
      .wait("Really?")
      .wait({ id: "ship", prompt: "Ship it?", inputMapper: (value) => ({ value }) })
      .end()
      .compile({ checkpointer: saver });
    let result = await compiled.run({}, { runId: "r", now: () => 5 });
    const asked: unknown[] = [];
    while (result.status === "suspended") {
      asked.push(...result.requests);
      const answers = Object.fromEntries(result.requests.map(({ id }) => [id, "yes"]));
      result = await compiled.resume("r", answers, { now: () => 5 });
    }
    const options = [{ label: "yes" }, { label: "no" }];
    expect(asked).toEqual([
      { id: "wait_1", nodeId: "wait_1", question: "Continue?", options, askedAt: 5 },
      { id: "wait_2", nodeId: "wait_2", question: "Really?", options, askedAt: 5 },
      { id: "ship", nodeId: "ship", question: "Ship it?", options, askedAt: 5 },
    ]);
    expect(fieldsOf(result.state)).toEqual({
      log: [],
      total: 0,
      value: "yes",
      isDone: false,
      outputs: { wait_1: "yes", wait_2: "yes" },
    });
  });

  test("catches with a function or with a node", async () => {
    const compiled = graph(TestState)
      .start(failing("x"))
      .catch((error, { nodeId }) => logs(`${nodeId}: ${error.message}`))
      .then(failing("y"))
      .catch(node("report", ({ error, nodeId }) => logs(`${nodeId}: ${error?.message}`)))
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["catch_1: x failed", "report: y failed"]);
  });

  test("names blocks by their kind and number unless they have an id", () => {
    const {
      code: { program },
    } = graph(TestState)
      .loop(a, { maxIterations: 1 })
      .loop(b, { maxIterations: 1, id: "mine" })
      .loop(c, { maxIterations: 1 })
      .if(() => true)
      .endif()
      .parallel([node("d"), graph(TestState).wait()], { names: ["d", "w"] })
      .end()
      .compile();
    const ids = program.instructions.flatMap((instruction) => ("id" in instruction ? [instruction.id] : []));
    expect(ids).toEqual(["loop_1", "a", "mine", "b", "loop_2", "c", "if_1", "parallel_1", "d", "wait_1"]);
  });

  test("names branches by their first node, else by their index", () => {
    const {
      code: { program },
    } = graph(TestState)
      .parallel([a, [b, c], graph(TestState).wait()])
      .end()
      .compile();
    const names = program.instructions.flatMap((instruction) =>
      instruction.op === "fork" ? instruction.branches.map(({ name }) => name) : [],
    );
    expect(names).toEqual(["a", "b", "2"]);
  });

  test("works without a schema: fields are replaced, outputs are merged", async () => {
    interface Loose extends BaseState {
      readonly list: readonly string[];
    }
    const compiled = graph<Loose>()
      .start({ id: "one", type: "tool", execute: () => ({ stateUpdate: { list: ["a"], outputs: { one: 1 } } }) })
      .then({
        id: "two",
        type: "tool",
        execute: ({ state }) => ({ stateUpdate: { list: [...state.list, "b"], outputs: { two: 2 } } }),
      })
      .end()
      .compile();
    const { list, outputs } = await compiled.execute();
    expect({ list, outputs }).toEqual({ list: ["a", "b"], outputs: { one: 1, two: 2 } });
  });

  test("applies its settings to every run", async () => {
    const saver = new MemorySaver();
    const compiled = graph(TestState)
      .start(a)
      .end()
      .compile({ name: "research", version: "1.2.3", stateVersion: 4, checkpointer: saver });
    await compiled.run({}, { runId: "r" });
    const [first] = await saver.read("r");
    expect(JSON.parse(first?.body ?? "")).toMatchObject({
      workflow: { name: "research", version: "1.2.3", stateVersion: 4 },
    });
  });
});
