import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { ConcurrentUpdateError } from "../errors/update-errors.ts";
import { type ControlledNode, controlled, failing, fieldsOf, logs, node, TestState } from "../fixtures/test-nodes.ts";
import type { JoinStrategy } from "../model/join-strategy.ts";

const EMPTY = { log: [], total: 0, value: "", isDone: false, outputs: {} };
const set = (id: string, value: string) => node(id, () => ({ stateUpdate: { value } }));

/** Three branches in progress, of one controlled node each. */
async function startThree(strategy: JoinStrategy) {
  const nodes: readonly [ControlledNode, ControlledNode, ControlledNode] = [
    controlled("a"),
    controlled("b"),
    controlled("c"),
  ];
  const compiled = graph(TestState)
    .parallel(
      nodes.map((item) => item.node),
      { strategy },
    )
    .end()
    .compile();
  const ended = compiled.run();
  await Promise.all(nodes.map((item) => item.started));
  return { a: nodes[0], b: nodes[1], c: nodes[2], ended };
}

describe("branches of parallel()", () => {
  test("are all in progress at once, each with the state at the fork and its own changes", async () => {
    const seen: string[] = [];
    const see = (id: string) =>
      node(id, ({ state }) => {
        seen.push(`${id} sees ${state.log.join()}`);
        return logs(id);
      });
    const compiled = graph(TestState)
      .start(node("start"))
      .parallel([
        [see("a1"), see("a2")],
        [see("b1"), see("b2")],
      ])
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["start", "a1", "a2", "b1", "b2"]);
    expect(seen.toSorted()).toEqual(["a1 sees start", "a2 sees start,a1", "b1 sees start", "b2 sees start,b1"]);
  });

  test("do not wait for each other before the join", async () => {
    const slow = controlled("slow");
    const last = controlled("last");
    const compiled = graph(TestState)
      .parallel([slow.node, [node("a"), node("b"), last.node]])
      .end()
      .compile();
    const ended = compiled.execute();
    await last.started; // reached while its sibling still runs
    last.finish();
    slow.finish();
    expect((await ended).log).toEqual(["slow", "a", "b", "last"]);
  });

  test("join in declaration order, whatever order they end in", async () => {
    const order = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 });
    await fc.assert(
      fc.asyncProperty(order, async (ending) => {
        const nodes = [0, 1, 2, 3, 4].map((index) => controlled(`n${index}`));
        const ended = graph(TestState)
          .parallel(nodes.map((item) => item.node))
          .end()
          .compile()
          .execute();
        await Promise.all(nodes.map((item) => item.started));
        for (const index of ending) {
          const update = { log: [`${index}`], total: index, outputs: { last: index } };
          nodes[index]?.finish({ stateUpdate: update });
          await Promise.resolve();
        }
        expect(fieldsOf(await ended)).toEqual({
          ...EMPTY,
          log: ["0", "1", "2", "3", "4"],
          total: 10,
          outputs: { last: 4 },
        });
      }),
      { numRuns: 30 },
    );
  });

  test("that set a field to different values fail the join", async () => {
    const { errorInfo, error, state } = await graph(TestState)
      .start(node("start"))
      .parallel([[set("a", "one"), node("a2")], set("b", "two")])
      .end()
      .compile()
      .run();
    expect(errorInfo).toEqual({
      code: "STATE_CONCURRENT_UPDATE",
      message:
        'The branches "a" and "b" of "parallel_1" both set "value", to different values. Give the field a reducer, or give "parallel_1" a merge function.',
      nodeId: "parallel_1",
    });
    expect(error).toBeInstanceOf(ConcurrentUpdateError);
    expect(fieldsOf(state)).toEqual({ ...EMPTY, log: ["start"] });
  });

  test("may set a field to equal values", async () => {
    const compiled = graph(TestState)
      .parallel([set("a", "one"), set("b", "one"), node("c")])
      .end()
      .compile();
    expect(fieldsOf(await compiled.execute())).toEqual({ ...EMPTY, log: ["c"], value: "one" });
  });

  test("pass on the changes of a nested parallel(), in order, and its conflicts", async () => {
    const inner = (value: string) =>
      graph(TestState)
        .start(node("x"))
        .parallel([set("y", value), [node("z1"), node("z2")]]);
    const build = (other: string) =>
      graph(TestState)
        .parallel([inner("one"), set("b", other)])
        .end()
        .compile();
    expect(fieldsOf(await build("one").execute())).toEqual({ ...EMPTY, log: ["x", "z1", "z2"], value: "one" });
    expect((await build("two").run()).errorInfo?.message).toStartWith(
      'The branches "x" and "b" of "parallel_1" both set',
    );
  });

  test("can be combined by a merge function instead of the reducers", async () => {
    const compiled = graph(TestState)
      .start(node("start"))
      .parallel([set("a", "one"), set("b", "two"), node("c")], {
        names: ["left", "right", "rest"],
        merge: (results, state) => ({
          value: [...results].map(([name, result]) => `${name}=${result.value}`).join(),
          log: [`${results.get("rest")?.log.length} after ${state.log.length}`],
        }),
      })
      .end()
      .compile();
    const expected = { ...EMPTY, log: ["start", "2 after 1"], value: "left=one,right=two,rest=" };
    expect(fieldsOf(await compiled.execute())).toEqual(expected);
  });

  test.each([
    {
      title: "throws",
      merge: (): Partial<TestState> => {
        throw new Error("cannot merge");
      },
      errorInfo: { code: "MERGE_FAILED", message: "cannot merge", nodeId: "parallel_1" },
    },
    {
      title: "returns nothing",
      // The cast is a lie on purpose: a caller in JavaScript can do this.
      merge: () => undefined as unknown as Partial<TestState>,
      errorInfo: {
        code: "NODE_RESULT_INVALID",
        message:
          'The node "parallel_1" returned undefined from its merge. It must return an object of fields, for example { done: true }.',
        nodeId: "parallel_1",
      },
    },
    {
      title: "names a field that does not exist",
      // The cast is a lie on purpose: a caller in JavaScript can do this.
      merge: () => ({ tpoic: 1 }) as Partial<TestState>,
      errorInfo: {
        code: "STATE_UNKNOWN_FIELD",
        message:
          'The state has no field "tpoic". Its fields: outputs, log, total, value, isDone. Declare it in defineState() or correct the update.',
        nodeId: "parallel_1",
      },
    },
  ])("fail when their merge function $title; a catch() handles it", async ({ merge, errorInfo }) => {
    const build = () => graph(TestState).parallel([node("a"), node("b")], { merge });
    expect((await build().end().compile().run()).errorInfo).toEqual(errorInfo);
    const caught = build()
      .catch((error) => logs(error.message))
      .end()
      .compile();
    expect((await caught.execute()).log).toEqual([errorInfo.message]);
  });
});

describe("strategy all", () => {
  test("is ended by the first failure, which aborts the rest", async () => {
    const { a, b, c, ended } = await startThree("all");
    a.finish();
    const failure = new Error("b is broken");
    b.fail(failure);
    expect(await c.aborted).toBe(failure);
    const { status, error, errorInfo, state } = await ended;
    expect({ status, errorInfo, log: state.log }).toEqual({
      status: "failed",
      errorInfo: { code: "NODE_FAILED", message: "b is broken", nodeId: "b" },
      log: [],
    });
    expect(error).toBe(failure);
  });

  test("aborts the rest even when a catch() handles the failure", async () => {
    const [bad, sibling] = [controlled("bad"), controlled("sibling")];
    const compiled = graph(TestState)
      .parallel([bad.node, sibling.node])
      .catch((error) => logs(error.message))
      .end()
      .compile();
    const ended = compiled.execute();
    await Promise.all([bad.started, sibling.started]);
    bad.fail(new Error("bad"));
    expect(await sibling.aborted).toMatchObject({
      code: "BRANCH_DROPPED",
      message: "The result of this node is no longer needed.",
    });
    expect((await ended).log).toEqual(["bad"]);
  });
});

describe("strategy race", () => {
  test("takes the first branch that ends and aborts the others", async () => {
    const { a, b, c, ended } = await startThree("race");
    b.finish();
    expect(await Promise.all([a.aborted, c.aborted])).toMatchObject([
      { code: "BRANCH_DROPPED" },
      { code: "BRANCH_DROPPED" },
    ]);
    expect(fieldsOf((await ended).state)).toEqual({ ...EMPTY, log: ["b"] });
  });

  test("fails with the first branch that fails", async () => {
    const { a, b, c, ended } = await startThree("race");
    c.fail(new Error("c first"));
    await Promise.all([a.aborted, b.aborted]);
    expect((await ended).errorInfo).toEqual({ code: "NODE_FAILED", message: "c first", nodeId: "c" });
  });

  test("is over at once when a branch has nothing to do: the others do not even start", async () => {
    const nothing = graph(TestState)
      .if(() => false)
      .then(node("x"))
      .endif();
    const compiled = graph(TestState)
      .parallel([nothing, node("b")], { strategy: "race", names: ["n", "b"] })
      .then(node("c"))
      .end()
      .compile();
    const started: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-start") started.push(event.taskId);
    };
    expect((await compiled.execute({}, { onEvent })).log).toEqual(["c"]);
    expect(started).toEqual(["c"]);
  });
});

describe("strategy any", () => {
  test("takes the first success and forgets earlier failures", async () => {
    const { a, b, c, ended } = await startThree("any");
    a.fail(new Error("a is broken"));
    b.finish();
    await c.aborted;
    expect(fieldsOf((await ended).state)).toEqual({ ...EMPTY, log: ["b"] });
  });

  test("fails when every branch fails, with all messages in the order they came", async () => {
    const { a, b, c, ended } = await startThree("any");
    c.fail(new Error("c is broken"));
    await Promise.resolve();
    a.fail(new Error("a is broken"));
    await Promise.resolve();
    b.fail(new Error("b is broken"));
    expect((await ended).errorInfo).toEqual({
      code: "GRAPH_ALL_BRANCHES_FAILED",
      message: 'Every branch of "parallel_1" failed: c is broken; a is broken; b is broken',
      nodeId: "parallel_1",
    });
  });

  test("passes the failure of all branches to a catch()", async () => {
    const compiled = graph(TestState)
      .parallel([failing("a"), failing("b")], { strategy: "any" })
      .catch((error, { errors }) => logs(error.message, ...errors.map(({ error: { message } }) => message)))
      .end()
      .compile();
    const message = 'Every branch of "parallel_1" failed: a failed; b failed';
    expect((await compiled.execute()).log).toEqual([message, "a failed", message]);
  });
});

describe("strategy settled", () => {
  test("waits for all and lists how they ended", async () => {
    const { a, b, c, ended } = await startThree("settled");
    b.fail(new Error("b is broken"));
    c.finish();
    a.finish();
    expect(fieldsOf((await ended).state)).toEqual({
      ...EMPTY,
      log: ["a", "c"],
      outputs: {
        parallel_1: [
          { branch: "a", status: "completed" },
          { branch: "b", status: "failed", error: { code: "NODE_FAILED", message: "b is broken" } },
          { branch: "c", status: "completed" },
        ],
      },
    });
  });

  test("continues when every branch failed", async () => {
    const compiled = graph(TestState)
      .parallel([failing("a"), failing("b")], { strategy: "settled", id: "p" })
      .then(node("c"))
      .end()
      .compile();
    const { log, outputs } = await compiled.execute();
    expect({ log, outputs }).toEqual({
      log: ["c"],
      outputs: {
        p: [
          { branch: "a", status: "failed", error: { code: "NODE_FAILED", message: "a failed" } },
          { branch: "b", status: "failed", error: { code: "NODE_FAILED", message: "b failed" } },
        ],
      },
    });
  });
});
