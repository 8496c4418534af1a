import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { GraphValidationError } from "../errors/errors.ts";
import { survive } from "../fixtures/crash-harness.ts";
import { fieldsOf, logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { outputOf } from "../nodes/tools/tool-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

const fruits = (): readonly string[] => ["apple", "pear", "plum"];
const eat = node("eat", ({ item, index }) => logs(`${index} ${item}`));

describe("map", () => {
  test("runs its body once for each item and joins in the order of the list", async () => {
    const gates = new Map(fruits().map((fruit) => [fruit, Promise.withResolvers<void>()]));
    const slow = node("eat", async ({ item, index }) => {
      await gates.get(String(item))?.promise;
      return logs(`${index} ${item}`);
    });
    const ended = graph(TestState).start(node("first")).map(fruits, slow).end().compile().run();
    for (const fruit of fruits().toReversed()) gates.get(fruit)?.resolve();
    const { status, state } = await ended;
    expect({ status, log: state.log }).toEqual({ status: "completed", log: ["first", "0 apple", "1 pear", "2 plum"] });
  });

  test.each([
    { items: [] as readonly string[], expected: { lengths: [] } },
    { items: ["pear"], expected: { lengths: [4] } },
  ])("stores a list in the outputs, whatever its length: $items", async ({ items, expected }) => {
    const measure = node("measure", ({ item }) => ({ stateUpdate: { outputs: { measure: String(item).length } } }));
    const compiled = graph(TestState)
      .start(node("first"))
      .map(() => items, measure, { id: "lengths" })
      .end()
      .compile();
    const { state, output } = await compiled.run();
    expect([state.outputs, output]).toEqual([expected, expected.lengths]);
  });

  test("never runs more branches at once than its concurrency", async () => {
    let runningCount = 0;
    const seen: number[] = [];
    const busy = node("busy", async () => {
      seen.push(++runningCount);
      await new Promise((resolve) => setImmediate(resolve));
      runningCount--;
      return;
    });
    const body = graph(TestState).start(busy).then(node("rest"));
    await graph(TestState)
      .start(node("first"))
      .map(() => Array.from({ length: 20 }), body, { concurrency: 3 })
      .end()
      .compile()
      .run();
    expect({ most: Math.max(...seen), count: seen.length }).toEqual({ most: 3, count: 20 });
  });

  test("collects the outputs of nodes without a mapper, in the order of the list", async () => {
    const measure = node("measure", ({ item }) => ({
      stateUpdate: outputOf<TestState>("measure", String(item).length),
    }));
    const { state } = await graph(TestState)
      .start(node("first"))
      .map(fruits, measure, { id: "lengths" })
      .end()
      .compile()
      .run();
    expect(state.outputs).toEqual({ lengths: [5, 4, 4] });
  });

  test("of no items does nothing", async () => {
    const { status, state } = await graph(TestState)
      .start(node("first"))
      .map(() => [], eat)
      .then(node("last"))
      .end()
      .compile()
      .run();
    expect({ status, fields: fieldsOf(state) }).toMatchObject({
      status: "completed",
      fields: { log: ["first", "last"], outputs: {} },
    });
  });

  test("with settled lists how each item ended", async () => {
    const picky = node("picky", ({ item }) => {
      if (item === "pear") throw new Error("no pears");
      return { stateUpdate: { ...outputOf<TestState>("picky", item), log: [String(item)] } };
    });
    const { state } = await graph(TestState)
      .start(node("first"))
      .map(fruits, picky, { id: "m", strategy: "settled" })
      .end()
      .compile()
      .run();
    expect(state.log).toEqual(["first", "apple", "plum"]);
    expect(state.outputs).toEqual({
      m: [
        { branch: "0", status: "completed", output: "apple" },
        { branch: "1", status: "failed", error: { code: "NODE_FAILED", message: "no pears" } },
        { branch: "2", status: "completed", output: "plum" },
      ],
    });
  });

  test("with race takes the branch that ends first and aborts the others", async () => {
    const aborted: unknown[] = [];
    const runner = node("runner", ({ item, signal }) => {
      if (item === "pear") return Promise.resolve(logs("pear"));
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted.push(item);
          reject(signal.reason);
        });
      });
    });
    const compiled = graph(TestState).start(node("first")).map(fruits, runner, { strategy: "race" }).end().compile();
    const { status, state } = await compiled.run();
    expect({ status, log: state.log, aborted }).toEqual({
      status: "completed",
      log: ["first", "pear"],
      aborted: ["apple", "plum"],
    });
  });

  test("whose items are not a list fails, and its catch handles the failure", async () => {
    // The cast makes the mistake that a schema-less graph lets through.
    const none = (() => undefined) as unknown as () => readonly unknown[];
    const compiled = graph(TestState)
      .start(node("first"))
      .map(none, eat)
      .catch((error) => logs(error.message))
      .end()
      .compile();
    expect((await compiled.run()).state.log).toEqual([
      "first",
      'The "items" of "map_1" did not return an array. Return the list to fan out over.',
    ]);
  });

  test("is rejected without steps and with a concurrency below one", async () => {
    const empty = graph(TestState);
    const compile = async () =>
      graph(TestState).start(node("a")).map(fruits, empty, { id: "m", concurrency: 0 }).end().compile();
    const error = await rejectionOf(compile());
    expect(error).toBeInstanceOf(GraphValidationError);
    expect(error.message).toBe(`The graph cannot be compiled:
  - map() has concurrency 0; it must be a whole number from 1, or Infinity
  - the map "m" has no steps
Correct the graph's definition.`);
  });

  test("nested maps each have their own item", async () => {
    const inner = graph(TestState)
      .start(node("outer", ({ item }) => logs(`outer ${item}`)))
      .map(
        () => ["x", "y"],
        node("inner", ({ item, index }) => logs(`inner ${index} ${item}`)),
      );
    const { state } = await graph(TestState)
      .start(node("first"))
      .map(() => ["a", "b"], inner)
      .end()
      .compile()
      .run();
    expect(state.log).toEqual(["first", "outer a", "inner 0 x", "inner 1 y", "outer b", "inner 0 x", "inner 1 y"]);
  });

  describe("over 30,000 items that end at once", () => {
    const many = Array.from({ length: 30_000 }, (_, index) => index);
    const skipped = graph(TestState)
      .if(() => false)
      .then(eat)
      .endif();
    const failing = graph(TestState)
      .if((): boolean => {
        throw new Error("cannot say");
      })
      .then(eat)
      .endif();

    test.each([
      { title: "continues after them", map: () => graph(TestState).map(() => many, skipped) },
      {
        title: "continues after them one by one",
        map: () => graph(TestState).map(() => many, skipped, { concurrency: 1 }),
      },
      {
        title: "continues after them within a catch",
        map: () =>
          graph(TestState)
            .map(() => many, skipped)
            .catch(node("rescue")),
      },
      {
        title: "continues after their failures",
        map: () => graph(TestState).map(() => many, failing, { strategy: "settled", merge: () => ({}) }),
      },
    ])("$title", async ({ map }) => {
      const { status, errorInfo, state } = await map().then(node("last")).end().compile().run();
      expect({ status, errorInfo, log: state.log }).toEqual({
        status: "completed",
        errorInfo: undefined,
        log: ["last"],
      });
    });
  });

  test.each([0, 1, 2])("with %d items that end at once is repeated 30,000 times", async (count) => {
    const skipped = graph(TestState)
      .if(() => false)
      .then(eat)
      .endif();
    const body = graph(TestState).map(() => Array.from({ length: count }), skipped);
    const { status, errorInfo, state } = await graph(TestState)
      .loop(body, { maxIterations: 30_000 })
      .then(node("last"))
      .end()
      .compile()
      .run();
    expect({ status, errorInfo, log: state.log }).toEqual({ status: "completed", errorInfo: undefined, log: ["last"] });
  });

  test("continues after items that end at once when a place becomes free", async () => {
    const items = Array.from({ length: 50_000 }, (_, index) => index);
    let askedCount = 0;
    // Not pure on purpose: all branches start with the same state, and only the first and the last should act.
    const body = graph(TestState)
      .if(() => [1, items.length].includes(++askedCount))
      .then(eat)
      .endif();
    const { status, state } = await graph(TestState)
      .map(() => items, body, { concurrency: 1 })
      .end()
      .compile()
      .run();
    expect({ status, log: state.log }).toEqual({ status: "completed", log: ["0 0", "49999 49999"] });
  });

  test("survives a crash at every entry of its journal, snapshots or not", async () => {
    const build: Parameters<typeof survive>[0] = (world) => {
      const work = (id: string) =>
        node(id, async (context) => {
          world.enter(context);
          return { stateUpdate: { log: [`${id} ${context.item}`], total: 1, outputs: { [id]: context.index } } };
        });
      const body = graph(TestState).start(work("one")).then(work("two"));
      return graph(TestState).start(work("first")).map(fruits, body, { concurrency: 2 }).then(work("last"));
    };
    const calm = await survive(build, { lives: [] });
    for (const options of [{}, { snapshotMinLength: 0 }]) {
      for (let failAfter = 1; failAfter <= calm.writeCount; failAfter++) {
        const survival = await survive(build, { lives: [failAfter], options });
        expect({ failAfter, ...survival, writeCount: 0 }).toEqual({ failAfter, ...calm, writeCount: 0 });
      }
    }
  });
});

describe("the items of a map", () => {
  /** Asks in each branch, and notes the branch's item in the end. */
  const build = (checkpointer: MemorySaver, items: (state: TestState) => readonly unknown[], options = {}) =>
    graph(TestState)
      .start(node("list", () => logs("a", "b")))
      .map(
        items,
        graph(TestState)
          .start(waitNode<TestState>({ id: "gate", inputMapper: () => ({}) }))
          .then(node("work", ({ item }) => logs(`did ${item}`))),
      )
      .end()
      .compile({ checkpointer, ...options });
  const ANSWERS = { "map_1[0]/gate": "yes", "map_1[1]/gate": "yes" };

  for (const [where, options] of [
    ["in records", {}],
    ["in snapshots", { snapshotMinLength: 0 }],
  ] as const) {
    test(`are determined once per run, and kept ${where}`, async () => {
      let count = 0;
      const next = () => [`${++count}`, `${++count}`];
      const checkpointer = new MemorySaver();
      await build(checkpointer, next, options).run({}, { runId: "r" });
      const { state } = await build(checkpointer, next, options).resume("r", ANSWERS);
      expect({ log: state.log, count }).toEqual({ log: ["a", "b", "did 1", "did 2"], count: 2 });
    });

    test(`keep their order ${where} when the function would return another one later`, async () => {
      const checkpointer = new MemorySaver();
      await build(checkpointer, () => ["a", "b"], options).run({}, { runId: "r" });
      const { state } = await build(checkpointer, () => ["b", "a", "c"], options).resume("r", ANSWERS);
      expect(state.log).toEqual(["a", "b", "did a", "did b"]);
    });
  }

  test("are not written again when they are a field of the state", async () => {
    const checkpointer = new MemorySaver();
    await build(checkpointer, (state) => state.log).run({}, { runId: "r" });
    const decisions = (await recordsOf(checkpointer, "r")).flatMap((record) =>
      "decisions" in record ? record.decisions : [],
    );
    expect(decisions).toEqual([{ itemsOf: "log" }]);
    const { state } = await build(checkpointer, () => []).resume("r", ANSWERS);
    expect(state.log).toEqual(["a", "b", "did a", "did b"]);
  });

  test("must be values that a journal can keep", async () => {
    const { status, error } = await build(new MemorySaver(), () => [1, () => 1]).run({}, { runId: "r" });
    expect({ status, message: error?.message }).toEqual({
      status: "failed",
      message:
        'The value at "map_1.1" is a function, which a journal cannot keep. Store plain data (JSON, Date, Map, Set, bigint, Uint8Array) instead.',
    });
  });
});
