import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { LoopLimitError } from "../errors/errors.ts";
import { failing, fieldsOf, logs, node, TestState } from "../fixtures/test-nodes.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";

const [a, b, c] = [node("a"), node("b"), node("c")];
const tick = node("tick", () => ({ stateUpdate: { log: ["tick"], total: 1 } }));

describe("a loop", () => {
  test("asks before the first iteration", async () => {
    const compiled = graph(TestState)
      .loop(tick, { until: () => true })
      .then(a)
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["a"]);
  });

  test("passes its condition the number of finished iterations", async () => {
    const iterations: number[] = [];
    const until = (state: TestState, { iteration }: { iteration: number }): boolean => {
      iterations.push(iteration);
      return state.total === 3;
    };
    await graph(TestState).loop(tick, { until }).end().compile().execute();
    expect(iterations).toEqual([0, 1, 2, 3]);
  });

  test("continues after its limit by default", async () => {
    const compiled = graph(TestState)
      .loop(tick, { until: () => false, maxIterations: 2 })
      .then(a)
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["tick", "tick", "a"]);
  });

  test("fails at its limit with failsAtLimit", async () => {
    const compiled = graph(TestState)
      .loop(tick, { until: () => false, maxIterations: 2, onMaxIterations: "fail", id: "draft" })
      .end()
      .compile();
    const { status, error, errorInfo, state } = await compiled.run();
    expect({ status, errorInfo, log: state.log }).toEqual({
      status: "failed",
      errorInfo: {
        code: "GRAPH_LOOP_LIMIT",
        message: 'The loop "draft" ran 2 times without reaching its end. Check its "until", or set maxIterations.',
        nodeId: "draft",
      },
      log: ["tick", "tick"],
    });
    expect(error?.message).toBe(new LoopLimitError("draft", 2).message);
  });

  test("without a limit fails after a thousand iterations", async () => {
    const compiled = graph(TestState)
      .loop(tick, { until: () => false })
      .end()
      .compile();
    const { errorInfo, state } = await compiled.run();
    expect(errorInfo).toEqual({
      code: "GRAPH_LOOP_LIMIT",
      message: 'The loop "loop_1" ran 1000 times without reaching its end. Check its "until", or set maxIterations.',
      nodeId: "loop_1",
    });
    expect(state.total).toBe(1_000);
  });

  test("that ends in time does not fail at its limit", async () => {
    const compiled = graph(TestState)
      .loop(tick, { until: (state) => state.total === 2, maxIterations: 2, onMaxIterations: "fail" })
      .end()
      .compile();
    expect((await compiled.execute()).total).toBe(2);
  });

  test("starts from zero each time it is entered", async () => {
    const inner = graph(TestState).loop(tick, { maxIterations: 2 });
    const compiled = graph(TestState).loop(inner, { maxIterations: 3 }).end().compile();
    expect((await compiled.execute()).total).toBe(6);
  });

  test("starts from zero after a goto has left it", async () => {
    const leave = decisionNode<TestState>({
      id: "leave",
      routes: [{ condition: (state) => state.log.length === 2, target: "again" }],
      fallback: "stay",
    });
    const compiled = graph(TestState)
      .start(node("again"))
      .loop([tick, leave, node("stay", () => undefined)], { maxIterations: 2 })
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["again", "tick", "again", "tick", "tick"]);
  });
});

describe("a decision", () => {
  const triage = (fallback?: string) =>
    decisionNode<TestState>({
      id: "triage",
      routes: [
        { condition: (state) => state.total > 10, target: "c" },
        { condition: (state) => state.total > 5, target: "b" },
      ],
      ...(fallback === undefined ? {} : { fallback }),
    });

  test.each<{ total: number; log: string[] }>([
    { total: 11, log: ["c"] },
    { total: 6, log: ["b", "c"] },
    { total: 1, log: ["a", "b", "c"] },
  ])("goes where total $total leads", async ({ total, log }) => {
    const compiled = graph(TestState).start(triage("a")).then([a, b, c]).end().compile();
    expect((await compiled.execute({ total })).log).toEqual(log);
  });

  test("fails without a route and without a fallback", async () => {
    const compiled = graph(TestState).start(triage()).then([a, b, c]).end().compile();
    const { errorInfo } = await compiled.run({ total: 1 });
    expect(errorInfo).toEqual({
      code: "GRAPH_NO_ROUTE",
      message: 'No route of the decision "triage" applies. Add a route or a fallback.',
      nodeId: "triage",
    });
  });

  test("can go back, and each visit has a name of its own", async () => {
    const taskIds: string[] = [];
    const work = node("work", ({ taskId }) => {
      taskIds.push(taskId);
      return { stateUpdate: { total: 1 } };
    });
    const again = decisionNode<TestState>({
      id: "again",
      routes: [{ condition: (state) => state.total < 3, target: "work" }],
      fallback: "a",
    });
    await graph(TestState).start(work).then([again, a]).end().compile().execute();
    expect(taskIds).toEqual(["work", "work#2", "work#3"]);
  });
});

describe("goto", () => {
  const to = (id: string, target: string) => node(id, () => ({ goto: target }));

  test("to a node that the graph does not have fails the node", async () => {
    const { errorInfo } = await graph(TestState).start(to("x", "nowhere")).then(a).end().compile().run();
    expect(errorInfo).toEqual({
      code: "GRAPH_UNKNOWN_NODE",
      message: 'No node named "nowhere". Known nodes: x, a.',
      nodeId: "x",
    });
  });

  test.each([
    {
      title: "out of a branch",
      build: () =>
        graph(TestState)
          .start(a)
          .parallel([to("x", "a"), b]),
    },
    {
      title: "into a sibling branch",
      build: () =>
        graph(TestState)
          .start(c)
          .parallel([to("x", "a"), a]),
    },
    { title: "into a branch", build: () => graph(TestState).start(to("x", "a")).parallel([a, b]) },
    {
      title: "into a branch inside the own branch",
      build: () => graph(TestState).parallel([graph(TestState).start(to("x", "a")).parallel([a, b]), c]),
    },
  ])("$title is rejected and changes nothing", async ({ build }) => {
    const { errorInfo, state } = await build().end().compile().run();
    expect(errorInfo).toEqual({
      code: "GRAPH_GOTO_OUT_OF_BRANCH",
      message:
        'The node "x" cannot go to "a": the target lies outside the parallel branch the node runs in. Route to a node of the same branch, or let the branch end.',
      nodeId: "x",
    });
    expect(state.value).toBe("");
  });

  test("within a branch is allowed", async () => {
    const compiled = graph(TestState)
      .parallel([[to("x", "b"), a, b], c])
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["b", "c"]);
  });

  test("together with an update does both", async () => {
    const jump = node("x", () => ({ stateUpdate: { value: "set" }, goto: "b" }));
    const { log, value } = await graph(TestState).start(jump).then([a, b]).end().compile().execute();
    expect({ log, value }).toEqual({ log: ["b"], value: "set" });
  });
});

describe("a failure", () => {
  test("is handled by the catch() of its own chain, and the run continues after it", async () => {
    const compiled = graph(TestState)
      .start([a, failing("x"), b])
      .catch((error) => logs(`caught ${error.message}`))
      .then(c)
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["a", "caught x failed", "c"]);
  });

  test("is no longer visible after its handler", async () => {
    const compiled = graph(TestState)
      .start(failing("x"))
      .catch(() => undefined)
      .then(node("after", ({ error }) => logs(String(error))))
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["undefined"]);
  });

  test("skips the handler when there is none", async () => {
    const compiled = graph(TestState)
      .start(a)
      .catch(() => logs("never"))
      .then(b)
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["a", "b"]);
  });

  test("in a branch is handled there, and the branch joins as usual", async () => {
    const branch = graph(TestState)
      .start([a, failing("x")])
      .catch(() => logs("caught"));
    const compiled = graph(TestState).parallel([branch, b]).end().compile();
    expect((await compiled.execute()).log).toEqual(["a", "caught", "b"]);
  });

  test("in a loop's body is handled there, in each iteration", async () => {
    const body = graph(TestState)
      .start(failing("x"))
      .catch(({ message }) => ({ stateUpdate: { log: [message], total: 1 } }));
    const compiled = graph(TestState)
      .loop(body, { until: (state) => state.total === 2 })
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["x failed", "x failed"]);
  });

  test("that its branch does not handle is handled around the fork, without the branch's changes", async () => {
    const compiled = graph(TestState)
      .start(a)
      .parallel([[b, failing("x")], c])
      .catch((error) => logs(error.message))
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["a", "x failed"]);
  });

  test("of a handler goes to the next handler", async () => {
    const compiled = graph(TestState)
      .start(failing("x"))
      .catch(failing("first"))
      .catch((error, { errors }) => logs(error.message, ...errors.map(({ nodeId }) => nodeId)))
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["first failed", "x", "first"]);
  });

  test("of the last handler fails the run", async () => {
    const { status, errorInfo } = await graph(TestState).start(failing("x")).catch(failing("h")).end().compile().run();
    expect({ status, errorInfo }).toEqual({
      status: "failed",
      errorInfo: { code: "NODE_FAILED", message: "h failed", nodeId: "h" },
    });
  });

  test("can be answered with a goto", async () => {
    let failures = 0;
    const flaky = node("x", () => {
      failures++;
      if (failures < 3) throw new Error(`failure ${failures}`);
      return logs("x");
    });
    const compiled = graph(TestState)
      .start([a, flaky])
      .catch((error) => ({ ...logs(error.message), goto: "x" }))
      .then(b)
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["a", "failure 1", "failure 2", "x", "b"]);
  });

  test("of a condition is the failure of its if()", async () => {
    const build = () =>
      graph(TestState)
        .start(a)
        .if(() => {
          throw new TypeError("no such field");
        })
        .then(b)
        .endif();
    expect((await build().end().compile().run()).errorInfo).toEqual({
      code: "CONDITION_FAILED",
      message: "no such field",
      nodeId: "if_1",
    });
    const caught = build()
      .catch((error) => logs(error.message))
      .end()
      .compile();
    expect((await caught.execute()).log).toEqual(["a", "no such field"]);
  });

  test("of a condition in a branch is handled like one of a node", async () => {
    const until = (): boolean => {
      throw new Error("bad until");
    };
    const compiled = graph(TestState)
      .parallel([graph(TestState).loop(a, { until }), b], { names: ["l", "b"], strategy: "settled" })
      .end()
      .compile();
    expect(fieldsOf(await compiled.execute())).toEqual({
      log: ["b"],
      total: 0,
      value: "",
      isDone: false,
      outputs: {
        parallel_1: [
          { branch: "l", status: "failed", error: { code: "CONDITION_FAILED", message: "bad until" } },
          { branch: "b", status: "completed" },
        ],
      },
    });
  });
});
