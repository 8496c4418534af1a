import { describe, expect, test } from "bun:test";
import { NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { UnknownRunError } from "../errors/errors.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { controlled, failing, logs, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { RunControl } from "../steering/run-control.ts";
import { type NodeSummary, readRunSummary } from "./run-summary.ts";

/** A clock that is read as 1, 2, 3, … */
function ticking(): () => number {
  const clock = { now: 0 };
  return () => ++clock.now;
}

/** The lines of a summary, without times. */
function linesOf(nodes: readonly NodeSummary[]) {
  return nodes.map(({ taskId, status, attempts, error }) => [
    taskId,
    status,
    attempts,
    ...(error === undefined ? [] : [error]),
  ]);
}

const spending = node("b", ({ emit }) => {
  emit({ type: "usage", usage: { ...NO_USAGE, inputTokens: 7 } });
  return logs("b");
});

describe("the summary", () => {
  test("of a finished run says when everything began and ended, and what it cost", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start([node("a"), spending])
      .end()
      .compile({ checkpointer, name: "small", version: "1.0.0" });
    await compiled.run({}, { runId: "r", now: ticking() });
    const about = { status: "completed" as const, attempts: 1, error: undefined };
    const { startedAt, updatedAt, endedAt, nodes, ...rest } = await readRunSummary(checkpointer, "r");
    expect(endedAt).toBe(updatedAt);
    expect(rest).toEqual({
      runId: "r",
      workflow: { name: "small", version: "1.0.0" },
      status: "completed",
      error: undefined,
      requests: [],
      usage: { ...NO_USAGE, inputTokens: 7 },
      output: { log: ["b"] },
    });
    expect(nodes.map(({ durationMs: _durationMs, endedAt: _endedAt, ...node_ }) => node_)).toEqual([
      { taskId: "a", nodeId: "a", usage: NO_USAGE, ...about },
      { taskId: "b", nodeId: "b", usage: { ...NO_USAGE, inputTokens: 7 }, ...about },
    ]);
    const times = [startedAt, ...nodes.map(({ endedAt }) => endedAt ?? 0), updatedAt];
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(nodes.every(({ durationMs }) => durationMs !== undefined && durationMs > 0)).toBe(true);
  });

  test("of a node with a subgraph has the time of the processes that executed it, not that between them", async () => {
    const clock = { now: 1_000 };
    const gate = waitNode<TestState>({ id: "gate", inputMapper: () => ({}) });
    const slow = node("slow", () => {
      clock.now += 20;
      return logs("slow");
    });
    const inner = graph(TestState).start(slow).then(gate).end().compile();
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start(subgraphNode<TestState, TestState>({ id: "sub", subgraph: inner }))
      .end()
      .compile({ checkpointer });
    await compiled.run({}, { runId: "r", now: () => clock.now });
    clock.now += 3_600_000;
    await compiled.resume("r", { gate: "yes" }, { now: () => clock.now });
    const { nodes } = await readRunSummary(checkpointer, "r");
    expect(nodes.find(({ taskId }) => taskId === "sub")).toMatchObject({ status: "completed", durationMs: 20 });
  });

  test("of a failed run names the node, its error and its attempts", async () => {
    const checkpointer = new MemorySaver();
    const x = failing("x", "broken", { retry: { maxAttempts: 2, backoffMs: 0 } });
    const compiled = graph(TestState)
      .start([node("a"), x])
      .end()
      .compile({ checkpointer });
    await compiled.run({}, { runId: "r" });
    const failed = await readRunSummary(checkpointer, "r");
    const error = { code: "NODE_FAILED", message: "broken", nodeId: "x" };
    expect({ status: failed.status, error: failed.error, lines: linesOf(failed.nodes) }).toEqual({
      status: "failed",
      error,
      lines: [
        ["a", "completed", 1],
        ["x", "failed", 2, "broken"],
      ],
    });
    await compiled.resume("r");
    const again = await readRunSummary(checkpointer, "r");
    expect(linesOf(again.nodes)).toEqual([
      ["a", "completed", 1],
      ["x", "failed", 4, "broken"],
    ]);
  });

  test("of a run that reached a bound has an error without a node", async () => {
    const checkpointer = new MemorySaver();
    await graph(TestState)
      .start([node("a"), node("b")])
      .end()
      .compile({ checkpointer })
      .run({}, { runId: "r", maxSteps: 1 });
    const { status, error, nodes } = await readRunSummary(checkpointer, "r");
    expect({ status, error, lines: linesOf(nodes) }).toEqual({
      status: "failed",
      error: {
        code: "RUN_LIMIT",
        message: "The run started 1 nodes, which is its maxSteps. Raise maxSteps, or look for a loop without progress.",
        bound: "maxSteps",
      },
      lines: [
        ["a", "completed", 1],
        ["b", "started", 0],
      ],
    });
  });

  test("counts no attempt that never began, whether the run was resumed or the node skipped", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start([node("a"), failing("x")])
      .end()
      .compile({ checkpointer });
    await compiled.run({}, { runId: "r" });
    const attemptsOf = async () => linesOf((await readRunSummary(checkpointer, "r")).nodes)[1];
    expect(await attemptsOf()).toEqual(["x", "failed", 1, "x failed"]);
    await compiled.resume("r", {}, { maxSteps: 1 });
    expect(await attemptsOf()).toEqual(["x", "started", 1, "x failed"]);
    await compiled.resume("r", {}, { commands: [{ type: "skip-node", node: "x" }] });
    expect(await attemptsOf()).toEqual(["x", "skipped", 1]);
  });

  test("of a cancelled run counts what the running node had used, like the result", async () => {
    const checkpointer = new MemorySaver();
    const stop = new AbortController();
    const slow = controlled("slow");
    const compiled = graph(TestState).start([spending, slow.node]).end().compile({ checkpointer });
    const ended = compiled.run({}, { runId: "r", signal: stop.signal });
    (await slow.started).emit({ type: "usage", usage: { ...NO_USAGE, inputTokens: 30 }, agentType: "claude" });
    stop.abort(new Error("stop"));
    const { status, usage, usageByAgent } = await ended;
    const summary = await readRunSummary(checkpointer, "r");
    const { usage: total, usageByAgent: parts } = summary;
    const expected = [{ ...NO_USAGE, inputTokens: 37 }, { claude: { ...NO_USAGE, inputTokens: 30 } }];
    expect({ status, result: [usage, usageByAgent], summary: [total, parts] }).toEqual({
      status: "cancelled",
      result: expected,
      summary: expected,
    });
  });

  test("of a suspended run lists the open questions, until they are answered", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start(node("a"))
      .parallel([waitNode<TestState>({ id: "x" }), waitNode<TestState>({ id: "y" })])
      .end()
      .compile({ checkpointer });
    await compiled.run({}, { runId: "r" });
    const before = await readRunSummary(checkpointer, "r");
    expect({ status: before.status, ids: before.requests.map(({ id }) => id), lines: linesOf(before.nodes) }).toEqual({
      status: "suspended",
      ids: ["parallel_1[x]/x", "parallel_1[y]/y"],
      lines: [
        ["a", "completed", 1],
        ["parallel_1[x]/x", "waiting", 1],
        ["parallel_1[y]/y", "waiting", 1],
      ],
    });
    await compiled.resume("r", { "parallel_1[y]/y": "yes" });
    const after = await readRunSummary(checkpointer, "r");
    expect({ status: after.status, ids: after.requests.map(({ id }) => id), lines: linesOf(after.nodes) }).toEqual({
      status: "suspended",
      ids: ["parallel_1[x]/x"],
      lines: [
        ["a", "completed", 1],
        ["parallel_1[x]/x", "waiting", 1],
        ["parallel_1[y]/y", "completed", 1],
      ],
    });
  });

  test("of a run in progress, or whose process died, lists what had started", async () => {
    const checkpointer = new MemorySaver();
    const slow = controlled("slow");
    const compiled = graph(TestState)
      .start([node("a"), slow.node])
      .end()
      .compile({ checkpointer });
    const ended = compiled.run({}, { runId: "r" });
    await slow.started;
    const { status, error, nodes } = await readRunSummary(checkpointer, "r");
    expect({ status, error, lines: linesOf(nodes) }).toEqual({
      status: "running",
      error: undefined,
      lines: [
        ["a", "completed", 1],
        ["slow", "started", 1],
      ],
    });
    slow.finish();
    await ended;
    expect((await readRunSummary(checkpointer, "r")).status).toBe("completed");
  });

  test("of a run that was taken over counts the new attempt", async () => {
    const memory = new MemorySaver();
    const compiled = graph(TestState)
      .start([node("a"), node("b")])
      .end()
      .compile();
    const crash = (failAfter: number) => ({ checkpointer: new FaultySaver(memory, { failAfter }) });
    await rejectionOf(compiled.run({}, { runId: "r", ...crash(2) }));
    await rejectionOf(compiled.resume("r", {}, crash(1)));
    const { status, nodes } = await readRunSummary(memory, "r");
    expect({ status, lines: linesOf(nodes) }).toEqual({
      status: "running",
      lines: [
        ["a", "completed", 1],
        ["b", "started", 2],
      ],
    });
  });

  test("distinguishes failed, handled and dropped nodes", async () => {
    const checkpointer = new MemorySaver();
    const slow = controlled("slow");
    const compiled = graph(TestState)
      .parallel([[node("quick"), failing("x")], slow.node, waitNode<TestState>({ id: "ask" })], {
        names: ["q", "s", "w"],
      })
      .catch(() => logs("handled"))
      .end()
      .compile({ checkpointer });
    await compiled.run({}, { runId: "r" });
    const { status, requests, nodes } = await readRunSummary(checkpointer, "r");
    expect({ status, requests, lines: linesOf(nodes) }).toEqual({
      status: "completed",
      requests: [],
      lines: [
        ["parallel_1[q]/quick", "completed", 1],
        ["parallel_1[s]/slow", "dropped", 1],
        ["parallel_1[w]/ask", "dropped", 1],
        ["parallel_1[q]/x", "failed", 1, "x failed"],
        ["catch_1", "completed", 1],
      ],
    });
  });

  test("names nodes by their id, whatever branch and visit", async () => {
    const checkpointer = new MemorySaver();
    const branch = graph(TestState).loop(node("tick"), { maxIterations: 2 });
    await graph(TestState)
      .parallel([branch], { names: ["b"] })
      .end()
      .compile({ checkpointer })
      .run({}, { runId: "r" });
    const { nodes } = await readRunSummary(checkpointer, "r");
    expect(nodes.map(({ taskId, nodeId }) => [taskId, nodeId])).toEqual([
      ["parallel_1[b]/tick", "tick"],
      ["parallel_1[b]/tick#2", "tick"],
    ]);
  });

  test("does not exist for a run that does not exist", async () => {
    expect(await rejectionOf(readRunSummary(new MemorySaver(), "r"))).toEqual(new UnknownRunError("r"));
  });

  test("of a node that somebody restarts has the attempt in progress, also after a kill", async () => {
    const checkpointer = new MemorySaver();
    const restarted = Promise.withResolvers<void>();
    const x = node("x", async ({ attempt, signal }) => {
      if (attempt === 2) restarted.resolve();
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const stop = new AbortController();
    const control = new RunControl();
    const compiled = graph(TestState).start(x).end().compile({ checkpointer });
    let seen: ReturnType<typeof linesOf> | undefined;
    void restarted.promise.then(async () => {
      seen = linesOf((await readRunSummary(checkpointer, "r")).nodes);
      stop.abort(new Error("enough"));
    });
    let hasRestarted = false;
    const once = (event: RunEvent): void => {
      if (event.type === "node-start" && !hasRestarted) {
        hasRestarted = true;
        void control.retryNode("x");
      }
    };
    await compiled.run({}, { runId: "r", control, signal: stop.signal, onEvent: once });
    expect(seen).toEqual([["x", "started", 2]]);
    const resumed = Promise.withResolvers<unknown>();
    const again = new AbortController();
    await compiled.resume(
      "r",
      {},
      {
        signal: again.signal,
        onEvent({ type }) {
          if (type !== "node-start") return;
          resumed.resolve(readRunSummary(checkpointer, "r").then(({ nodes }) => linesOf(nodes)));
          again.abort(new Error("enough"));
        },
      },
    );
    expect(await resumed.promise).toEqual([["x", "started", 3]]);
  });
});
