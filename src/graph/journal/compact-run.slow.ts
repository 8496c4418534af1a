import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { graph } from "../builder.ts";
import { RunFinishedError, RunLockedError, UnknownRunError } from "../errors/errors.ts";
import { survive } from "../fixtures/crash-harness.ts";
import { buildPlan, interpretPlan, plans } from "../fixtures/random-graph.ts";
import { failing, logs, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import type { JournalEntry } from "../model/checkpointer.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { readRunSummary } from "./run-summary.ts";

const spending = node("spend", ({ emit }) => {
  emit({ type: "usage", usage: { inputTokens: 5, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 } });
  return logs("spent");
});
const gate = waitNode<TestState>({ id: "gate", inputMapper: (answer) => ({ log: [answer] }) });

function sizeOf(entries: readonly JournalEntry[]): number {
  return entries.reduce((size, { body }) => size + body.length, 0);
}

describe("a compacted journal", () => {
  /** Runs many steps to a question, and compacts. */
  async function compacted() {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start(spending)
      .loop(
        node("step", () => ({ stateUpdate: { total: 1, log: ["step"] } })),
        { maxIterations: 50 },
      )
      .parallel([gate, node("beside")])
      .then(node("last"))
      .end()
      .compile();
    await compiled.run({}, { runId: "r", checkpointer });
    const before = { entries: await checkpointer.read("r"), summary: await readRunSummary(checkpointer, "r") };
    await compiled.compact("r", { checkpointer });
    return { checkpointer, compiled, before };
  }

  test("records the run's state and usage in two records", async () => {
    const { checkpointer, before } = await compacted();
    const entries = await checkpointer.read("r");
    expect(entries.map(({ sequence, kind }) => [sequence, kind])).toEqual([
      [1, "record"],
      [2, "record"],
    ]);
    expect(sizeOf(entries)).toBeLessThan(sizeOf(before.entries) / 3);
    const { nodes, ...summary } = await readRunSummary(checkpointer, "r");
    const { nodes: nodesBefore, ...summaryBefore } = before.summary;
    expect(summary).toEqual(summaryBefore);
    expect(nodes.map(({ taskId, status, attempts }) => [taskId, status, attempts])).toEqual([
      ["parallel_1[gate]/gate", "waiting", 1],
    ]);
    expect(nodesBefore.length).toBe(53);
  });

  test("begins a node whose turn had not come with its first attempt, however often it was compacted", async () => {
    const checkpointer = new MemorySaver();
    const attempts: number[] = [];
    const abort = new AbortController();
    let isFirst = true;
    const hanging = node("hanging", ({ signal }) => {
      if (!isFirst) return logs("hanging");
      isFirst = false;
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason));
      abort.abort(new Error("stop"));
      return promise;
    });
    const late = node("late", ({ attempt }) => {
      attempts.push(attempt);
      return logs("late");
    });
    const compiled = graph(TestState).parallel([hanging, late]).end().compile({ checkpointer, maxConcurrency: 1 });
    expect((await compiled.run({}, { runId: "r", signal: abort.signal })).status).toBe("cancelled");
    for (let count = 0; count < 3; count++) await compiled.compact("r");
    expect((await compiled.resume("r")).status).toBe("completed");
    expect(attempts).toEqual([1]);
  });

  test("continues as if nothing had happened", async () => {
    const { checkpointer, compiled, before } = await compacted();
    const { status, state, usage } = await compiled.resume("r", { "parallel_1[gate]/gate": "yes" }, { checkpointer });
    expect({ status, log: state.log, total: state.total, usage }).toEqual({
      status: "completed",
      log: ["spent", ...Array.from({ length: 50 }, () => "step"), "yes", "beside", "last"],
      total: 50,
      usage: before.summary.usage,
    });
    const history = await compiled.history("r", { checkpointer });
    expect(history.map(({ type, nodeId }) => [type, nodeId])).toEqual([
      ["start", ""],
      ["answer", "gate"],
      ["node", "last"],
    ]);
    const forked = await compiled.fork("r", { at: 1 }, { checkpointer, runId: "forked" });
    expect([forked.status, forked.requests.map(({ id }) => id)]).toEqual(["suspended", ["parallel_1[gate]/gate"]]);
    expect((await readRunSummary(checkpointer, "forked")).requests.map(({ id }) => id)).toEqual([
      "parallel_1[gate]/gate",
    ]);
  });

  test("is compact already when that is done again", async () => {
    const { checkpointer, compiled } = await compacted();
    const once = await checkpointer.read("r");
    await compiled.compact("r", { checkpointer });
    expect(await checkpointer.read("r")).toEqual(once);
  });
});

test("a failed run stays failed, and begins its node again when it is resumed", async () => {
  const checkpointer = new MemorySaver();
  const build = (x: NodeDefinition<TestState>) => graph(TestState).start(node("a")).then(x).end().compile();
  const broken = build(failing("x", "no luck"));
  await broken.run({}, { runId: "r", checkpointer });
  const before = await readRunSummary(checkpointer, "r");
  await broken.compact("r", { checkpointer });
  const after = await readRunSummary(checkpointer, "r");
  expect([after.status, after.error]).toEqual([before.status, before.error]);
  expect(after.nodes.map(({ taskId, status, error }) => [taskId, status, error])).toEqual([["x", "failed", "no luck"]]);
  const repaired = build(node("x", ({ attempt }) => logs(`x at attempt ${attempt}`)));
  const { state } = await repaired.resume("r", {}, { checkpointer });
  expect(state.log).toEqual(["a", "x at attempt 2"]);
});

test("a completed run keeps its final state, and is not begun again", async () => {
  const checkpointer = new MemorySaver();
  const compiled = graph(TestState).start(node("a")).end().compile({ checkpointer });
  await compiled.run({}, { runId: "r" });
  await compiled.compact("r");
  expect((await compiled.stateAt("r", 1)).log).toEqual(["a"]);
  expect(await rejectionOf(compiled.resume("r"))).toEqual(new RunFinishedError("r"));
  expect((await readRunSummary(checkpointer, "r")).status).toBe("completed");
});

test("a run that is executed, or unknown, is not compacted", async () => {
  const checkpointer = new MemorySaver();
  const compiled = graph(TestState).start(node("a")).end().compile({ checkpointer });
  expect(await rejectionOf(compiled.compact("r"))).toEqual(new UnknownRunError("r"));
  await compiled.run({}, { runId: "r" });
  const journal = await checkpointer.open("r", "resume");
  expect(await rejectionOf(compiled.compact("r"))).toBeInstanceOf(RunLockedError);
  await journal.close();
});

test('with `history: "latest"` the journal of a long run stays small, and can be gone on with', async () => {
  const checkpointer = new MemorySaver();
  const compiled = graph(TestState)
    .loop(
      node("step", () => ({ stateUpdate: { total: 1 } })),
      { maxIterations: 20_000 },
    )
    .wait({ id: "gate", inputMapper: () => ({ log: ["answered"] }) })
    .end()
    .compile({ checkpointer, history: "latest", snapshotMinLength: 10_000 });
  const { status } = await compiled.run({}, { runId: "r" });
  expect(status).toBe("suspended");
  expect(sizeOf(await checkpointer.read("r"))).toBeLessThan(20_000);
  const resumed = await compiled.resume("r", { gate: "yes" });
  expect([resumed.status, resumed.state.total, resumed.state.log]).toEqual(["completed", 20_000, ["answered"]]);
});

test("a run started with its whole history keeps only the latest from when that option is set", async () => {
  const checkpointer = new MemorySaver();
  const compiled = graph(TestState)
    .start(node("a"))
    .wait({ id: "first", inputMapper: () => ({ log: ["first"] }) })
    .loop(node("b"), { maxIterations: 50 })
    .wait({ id: "second", inputMapper: () => ({ log: ["second"] }) })
    .end()
    .compile({ checkpointer, snapshotMinLength: 0 });
  await compiled.run({}, { runId: "r" });
  expect((await checkpointer.read("r")).length).toBeGreaterThan(3);
  await compiled.resume("r", { first: "yes" }, { history: "latest" });
  expect((await checkpointer.read("r")).map(({ kind }) => kind)).not.toContain("snapshot");
  const bs = Array.from({ length: 50 }, () => "b");
  expect((await compiled.resume("r", { second: "yes" })).state.log).toEqual(["a", "first", ...bs, "second"]);
});

test("random graphs end as they must when their journals are compacted again and again, through crashes", async () => {
  const lives = fc.array(fc.nat(12), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(plans, lives, fc.constantFrom(0, 2_000), async (plan, crashes, snapshotMinLength) => {
      const torment = { lives: crashes, options: { history: "latest", snapshotMinLength } } as const;
      const { fields, status, violations } = await survive((world) => buildPlan(plan, world), torment);
      expect<object>({ fields, status, violations }).toEqual({ ...interpretPlan(plan), violations: [] });
    }),
    { numRuns: 300 },
  );
});
