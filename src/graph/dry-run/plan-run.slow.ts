import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type GraphBuilder, graph } from "../builder.ts";
import { RunLimitError } from "../errors/errors.ts";
import { World } from "../fixtures/crash-harness.ts";
import { FakeCodingAgent } from "../fixtures/fake-coding-agent.ts";
import { buildPlan, interpretPlan, plans } from "../fixtures/random-graph.ts";
import { controlled, failing, fieldsOf, logs, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { shellNode } from "../nodes/tools/shell-node.ts";
import { toolNode } from "../nodes/tools/tool-node.ts";
import { MAX_UPDATE_BYTES } from "../state/value-size.ts";
import type { PlanOptions } from "./plan-options.ts";
import { type PlanReport, stepsOfType } from "./plan-report.ts";

/** A function that must not be called. */
const forbidden = (): never => {
  throw new Error("This has an effect");
};

const plan = (builder: GraphBuilder<TestState>, options?: PlanOptions<TestState>): Promise<PlanReport<TestState>> =>
  builder.end().compile().plan({}, options);

const outcomesOf = (report: PlanReport): readonly string[] =>
  stepsOfType(report, "node").map(({ taskId, source, outcome }) => `${taskId} ${source} ${outcome}`);

describe("a dry run executes no", () => {
  test.each<{ title: string; build: () => GraphBuilder<TestState> }>([
    { title: "function of a toolNode", build: () => graph(TestState).start(toolNode({ id: "n", execute: forbidden })) },
    { title: "node of the author's own", build: () => graph(TestState).start(node("n", forbidden)) },
    ...(["agent", "ask_user", "decision", "parallel", "subgraph", "wait"] as const).map((type) => ({
      title: `node of the author's own of the type ${type}`,
      build: () => graph(TestState).start({ ...node("n", forbidden), type }),
    })),
    {
      title: "graph that is not Atomic's",
      build: () => graph(TestState).start(subgraphNode<TestState>({ id: "n", subgraph: { execute: forbidden } })),
    },
  ])("$title", async ({ build }) => {
    const report = await plan(build());
    expect({ status: report.status, nodes: outcomesOf(report) }).toEqual({
      status: "completed",
      nodes: ["n skipped completed"],
    });
  });

  test("workflow by name that is not a graph", async () => {
    const builder = graph(TestState).start(subgraphNode<TestState>({ id: "n", subgraph: "foreign" }));
    const report = await plan(builder, { workflows: () => ({ execute: forbidden }) });
    expect(outcomesOf(report)).toEqual(["n skipped completed"]);
  });

  test("command, and uses the given result instead", async () => {
    const builder = graph(TestState)
      .start(shellNode<TestState>({ id: "lint", command: "exit 3" }))
      .then(shellNode<TestState>({ id: "test", command: "exit 4", outputMapper: ({ stdout }) => ({ log: [stdout] }) }))
      .then(shellNode<TestState>({ id: "build", command: ({ log }) => `make ${log.length}` }));
    const report = await plan(builder, {
      commands: (command) => (command === "exit 4" ? { exitCode: 1, stdout: "1 failed" } : undefined),
    });
    expect(report.state.log).toEqual(["1 failed"]);
    expect(stepsOfType(report, "command")).toEqual([
      { type: "command", path: "", taskId: "lint", command: "exit 3", exitCode: 0 },
      { type: "command", path: "", taskId: "test", command: "exit 4", exitCode: 1 },
      { type: "command", path: "", taskId: "build", command: "make 1", exitCode: 0 },
    ]);
    const failed = await plan(graph(TestState).start(shellNode<TestState>({ id: "x", command: "make" })), {
      commands: { make: { exitCode: 2, stderr: "no rule" } },
    });
    expect([failed.status, failed.errorInfo?.code]).toEqual(["failed", "COMMAND_FAILED"]);
  });
});

test("a handler of failures counts as a function", async () => {
  const builder = graph(TestState)
    .start(decisionNode<TestState>({ id: "lost", routes: [{ condition: () => false, target: "lost" }] }))
    .catch(forbidden);
  const report = await plan(builder);
  expect([report.status, outcomesOf(report)]).toEqual([
    "completed",
    ["lost executed failed", "catch_1 skipped completed"],
  ]);
});

test("a node that asks with a signal is answered like any other", async () => {
  const asking = node("asking", () => ({ signals: [{ type: "human_input_required", prompt: "Which one?" }] }), {
    actsThroughServices: true,
    applyAnswer: (answer) => ({ log: [`took ${String(answer)}`] }),
  });
  const report = await plan(graph(TestState).start(asking), { answers: { asking: "the second" } });
  expect([report.state.log, stepsOfType(report, "question")]).toEqual([
    ["took the second"],
    [
      {
        type: "question",
        path: "",
        taskId: "asking",
        question: "Which one?",
        options: [],
        answer: "the second",
        source: "given",
      },
    ],
  ]);
});

test("results replace nodes, as values or functions of the state, and runTools executes functions", async () => {
  const build = () => graph(TestState).start([node("a"), node("b"), node("c")]);
  const given = await plan(build(), {
    results: { a: { log: ["A"], total: 2 }, c: (state) => ({ total: state.total * 10 }) },
  });
  expect(outcomesOf(given)).toEqual(["a given completed", "b skipped completed", "c given completed"]);
  expect([given.state.log, given.state.total]).toEqual([["A"], 22]);
  const executed = await plan(build(), { results: { a: { log: ["A"] } }, runTools: true });
  expect(executed.state.log).toEqual(["A", "b", "c"]);
});

test("results apply to the graph itself, not to nodes with the same ids in graphs within it", async () => {
  const inner = graph(TestState).start(node("a")).end().compile();
  const mappers = { inputMapper: () => ({}), outputMapper: ({ log }: TestState) => ({ log }) };
  const builder = graph(TestState)
    .start(node("a"))
    .then(subgraphNode<TestState, TestState>({ id: "deep", subgraph: inner, ...mappers }))
    .then(subgraphNode<TestState, TestState>({ id: "again", subgraph: "known", ...mappers }));
  const report = await plan(builder, { results: { a: { log: ["A"] } }, workflows: () => inner });
  expect(report.state.log).toEqual(["A"]);
  expect(outcomesOf(report)).toEqual([
    "a given completed",
    "deep executed completed",
    "deep/a skipped completed",
    "again executed completed",
    "again/a skipped completed",
  ]);
});

test("the report has decisions, routes, iterations and branches in the order in which they happened", async () => {
  const builder = graph(TestState)
    .start(decisionNode<TestState>({ id: "go", routes: [], fallback: "begin" }))
    .then(node("begin"))
    .if(({ total }) => total > 0, { id: "some" })
    .then(node("never"))
    .endif()
    .loop([node("draft")], { id: "polish", until: ({ log }) => log.length >= 2 })
    .map(
      ({ log }) => log,
      graph(TestState).start(node("each")).loop(node("twice"), { id: "inner", maxIterations: 1 }),
      {
        id: "items",
      },
    );
  const report = await plan(builder, { results: { draft: { log: ["x"] } } });
  expect(report.steps.filter(({ type }) => type !== "node")).toEqual([
    { type: "route", path: "", taskId: "go", targets: ["begin"] },
    { type: "decision", path: "", id: "some", outcome: false },
    { type: "iteration", path: "", id: "polish", iteration: 0, outcome: "again" },
    { type: "iteration", path: "", id: "polish", iteration: 1, outcome: "again" },
    { type: "iteration", path: "", id: "polish", iteration: 2, outcome: "done" },
    { type: "fan-out", path: "", id: "items", count: 2 },
    { type: "iteration", path: "items[0]/", id: "inner", iteration: 0, outcome: "again" },
    { type: "iteration", path: "items[1]/", id: "inner", iteration: 0, outcome: "again" },
    { type: "iteration", path: "items[0]/", id: "inner", iteration: 1, outcome: "at-limit" },
    { type: "iteration", path: "items[1]/", id: "inner", iteration: 1, outcome: "at-limit" },
  ]);
  expect(report.loops).toEqual([
    { path: "", id: "polish", iterations: 2 },
    { path: "items[0]/", id: "inner", iterations: 1 },
    { path: "items[1]/", id: "inner", iterations: 1 },
  ]);
});

test("with maxIterations, the plan leaves a loop whose condition is false, even one that would fail at its limit", async () => {
  const endless = { id: "endless", until: () => false, maxIterations: 2, onMaxIterations: "fail" } as const;
  const builder = graph(TestState)
    .start([node("a")])
    .loop(node("b"), endless)
    .loop(node("c"), { id: "fixed", maxIterations: 2 })
    .then(node("last"));
  const iterationsOf = async (maxIterations: number) => {
    const report = await plan(builder, { maxIterations });
    expect(report.status).toBe("completed");
    return stepsOfType(report, "iteration").map(({ id, outcome, limit }) => [id, outcome, limit].join(" "));
  };
  const [again, left] = ["endless again ", "endless undecided 2"];
  const fixed = ["fixed again ", "fixed again ", "fixed at-limit "];
  expect(await iterationsOf(1)).toEqual([again, left, ...fixed]);
  expect(await iterationsOf(5)).toEqual([again, again, left, ...fixed]);
});

describe("agents", () => {
  const work = agentNode<TestState>({
    id: "work",
    buildMessage: "Work.",
    model: "small",
    outputMapper: ({ content }) => ({ log: [content] }),
  });

  test("are the given ones, and the report names them and their models", async () => {
    const asked: (string | undefined)[] = [];
    const agent = new FakeCodingAgent([{ content: "done" }]);
    const report = await plan(graph(TestState).start(work), {
      clients: (agentType) => {
        asked.push(agentType);
        return agent;
      },
    });
    expect(report.state.log).toEqual(["done"]);
    expect(stepsOfType(report, "node")).toEqual([
      {
        type: "node",
        path: "",
        taskId: "work",
        nodeId: "work",
        nodeType: "agent",
        attempts: 1,
        source: "executed",
        outcome: "completed",
        model: "small",
        agentType: "fake",
      },
    ]);
    expect(asked).toEqual([undefined]);
  });

  test("are missing if none is given", async () => {
    const report = await plan(graph(TestState).start(work));
    expect([report.status, report.errorInfo?.code]).toEqual(["failed", "SERVICE_MISSING"]);
  });

  test("that never answer meet the node's time limit at once", async () => {
    const agent = new FakeCodingAgent([{ isEndless: true }]);
    const slow = agentNode<TestState>({
      id: "slow",
      buildMessage: "Work.",
      timeout: 3_600_000,
      retry: { maxAttempts: 1 },
    });
    const report = await plan(graph(TestState).start(slow), { clients: () => agent, patienceMs: 1 });
    expect([report.errorInfo?.code, report.waitedMs]).toEqual(["NODE_TIMEOUT", 3_600_000]);
  });
});

describe("the clock of a dry run", () => {
  test("reaches the time limit of a node that stopped and resumed it", async () => {
    const hanging = controlled("hanging", { timeoutMs: 100_000 });
    const execute: typeof hanging.node.execute = async (context) => {
      const resume = context.stopTimeout();
      await Promise.resolve();
      resume();
      return await hanging.node.execute(context);
    };
    const report = await plan(graph(TestState).start({ ...hanging.node, execute }), { runTools: true, patienceMs: 1 });
    expect([report.errorInfo?.code, report.waitedMs]).toEqual(["NODE_TIMEOUT", 100_000]);
  });

  test("makes retries take no time", async () => {
    const retry = { maxAttempts: 3, backoffMs: 100_000, maxBackoffMs: 10 ** 9, jitter: 0 };
    const builder = graph(TestState)
      .start(failing("flaky", "no", { retry }))
      .catch(node("rescue"));
    const report = await plan(builder, { runTools: true });
    expect([report.status, report.waitedMs]).toEqual(["completed", 300_000]);
    expect(stepsOfType(report, "node").map(({ taskId, attempts, outcome }) => [taskId, attempts, outcome])).toEqual([
      ["flaky", 3, "failed"],
      ["rescue", 1, "completed"],
    ]);
  });

  test("advances in the order of its timers, separately for each branch", async () => {
    const order: string[] = [];
    const pausing = (id: string, backoffMs: number) =>
      node(
        id,
        ({ attempt }) => {
          order.push(`${id} ${attempt}`);
          if (attempt < 3) throw new Error("again");
          return;
        },
        { retry: { maxAttempts: 3, backoffMs, backoffMultiplier: 1, jitter: 0 } },
      );
    await plan(
      graph(TestState)
        .start(node("a"))
        .parallel([pausing("long", 5_000), pausing("short", 2_000)]),
      { runTools: true },
    );
    expect(order).toEqual(["long 1", "short 1", "short 2", "short 3", "long 2", "long 3"]);
  });
});

describe("a dry run ends", () => {
  test("with a failure as a result", async () => {
    const report = await plan(graph(TestState).start([node("a"), failing("b", "broken"), node("c")]), {
      runTools: true,
    });
    expect({
      status: report.status,
      errorInfo: report.errorInfo,
      log: report.state.log,
      nodes: outcomesOf(report),
    }).toEqual({
      status: "failed",
      errorInfo: { code: "NODE_FAILED", message: "broken", nodeId: "b" },
      log: ["a"],
      nodes: ["a executed completed", "b executed failed"],
    });
    expect(report.error?.message).toBe("broken");
  });

  test("at its limit of steps", async () => {
    const endless = graph(TestState)
      .start(node("a"))
      .loop(node("b"), { until: () => false, maxIterations: 10 ** 9 });
    const report = await plan(endless);
    expect(report.error).toBeInstanceOf(RunLimitError);
    expect(stepsOfType(report, "node")).toHaveLength(10_000);
    expect((await plan(graph(TestState).start([node("a"), node("b")]), { maxSteps: 1 })).errorInfo?.code).toBe(
      "RUN_LIMIT",
    );
  });

  test.each([
    { title: "raised", maxUpdateBytes: Number.POSITIVE_INFINITY, status: "completed" },
    { title: "lowered", maxUpdateBytes: 1_000, status: "failed" },
  ])("at the graph's own maxUpdateBytes, when it is $title", async ({ maxUpdateBytes, status }) => {
    const value = "x".repeat(maxUpdateBytes === 1_000 ? 2_000 : MAX_UPDATE_BYTES);
    const compiled = graph(TestState).start(node("large")).end().compile({ maxUpdateBytes });
    expect((await compiled.plan({}, { results: { large: { value } } })).status).toBe(status);
  });

  test("when it is cancelled, before it began and within a node", async () => {
    const before = await plan(graph(TestState).start(node("a")), { signal: AbortSignal.abort() });
    expect([before.status, before.steps]).toEqual(["cancelled", []]);
    const slow = controlled("slow");
    const controller = new AbortController();
    const planned = plan(graph(TestState).start(slow.node), { runTools: true, signal: controller.signal });
    await slow.started;
    controller.abort(new Error("enough"));
    const report = await planned;
    expect([report.status, outcomesOf(report)]).toEqual(["cancelled", ["slow executed unfinished"]]);
  });

  test("before it starts when the input is invalid", async () => {
    const compiled = graph(TestState).start(node("a")).end().compile();
    // The cast is false on purpose: a caller without types.
    const error = await rejectionOf(compiled.plan({ totla: 1 } as Partial<TestState>));
    expect(error.message).toStartWith('The state has no field "totla".');
  });
});

test("losers of a race are distinguished from finished nodes", async () => {
  const slow = controlled("slow");
  const fast = node("fast", async () => {
    await slow.started;
    return logs("fast");
  });
  const report = await plan(graph(TestState).start(node("a")).parallel([slow.node, fast], { strategy: "race" }), {
    runTools: true,
  });
  expect(outcomesOf(report)).toEqual([
    "a executed completed",
    "parallel_1[slow]/slow executed dropped",
    "parallel_1[fast]/fast executed completed",
  ]);
});

test("a node that is a class instance keeps its methods and private fields", async () => {
  class Asking {
    readonly id = "asking";
    readonly type = "ask_user" as const;
    readonly actsThroughServices = true;
    readonly #question = "Sure?";
    readonly #answer = "answered";
    execute() {
      return { request: { question: this.#question } };
    }
    applyAnswer(answer: unknown) {
      return { log: [`${this.#answer} ${String(answer)}`] };
    }
  }
  const report = await plan(graph(TestState).start(new Asking()));
  expect(report.state.log).toEqual(["answered yes"]);
});

test("a dry run that executes functions has the same outcome as a run", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const report = await buildPlan(plan, new World()).end().compile().plan({}, { runTools: true });
      expect<object>({ status: report.status, fields: fieldsOf(report.state) }).toEqual(interpretPlan(plan));
    }),
  );
});
