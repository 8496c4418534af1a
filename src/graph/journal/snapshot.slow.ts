import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_USAGE } from "../../contracts/index.ts";
import { type GraphBuilder, graph } from "../builder.ts";
import { RestoredError, SchemaValidationError } from "../errors/errors.ts";
import { type BuildGraph, survive, type Torment, World } from "../fixtures/crash-harness.ts";
import { buildPlan, plans } from "../fixtures/random-graph.ts";
import { failing, logs, node, TestState } from "../fixtures/test-nodes.ts";
import type { JournalEntry } from "../model/checkpointer.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers } from "../state/annotation.ts";
import { restoreRun } from "./restore-run.ts";
import { decodeSnapshot, encodeSnapshot } from "./snapshot.ts";

/** A journal that is snapshotted as often as possible, and never otherwise. */
const EAGER = { snapshotMinLength: 1 };

/** A node that blocks until the run is cancelled, the first time it is executed. */
function interrupted(id: string, stop: AbortController, execute: NodeDefinition<TestState>["execute"]) {
  return node(id, (context) => {
    if (context.attempt > 1) return execute(context);
    stop.abort();
    return new Promise(() => undefined);
  });
}

/** Runs a graph until it is interrupted, then resumes it from what a snapshot kept. */
async function runInterrupted(build: (stop: AbortController) => GraphBuilder<TestState>) {
  const checkpointer = new MemorySaver();
  const stop = new AbortController();
  const options = { checkpointer, ...EAGER, cancelGraceMs: 0 };
  const compiled = build(stop).end().compile(options);
  const cut = await compiled.run({ value: "x".repeat(50) }, { runId: "r", signal: stop.signal, now: () => 5 });
  const entries = await checkpointer.read("r");
  const resumed = await compiled.resume("r", {}, { now: () => 9 });
  return { cut: cut.status, hasSnapshot: entries.some(({ kind }) => kind === "snapshot"), ...resumed };
}

describe("a run restored from a snapshot", () => {
  test("knows what its handler is about, and what was handled before", async () => {
    const seen: unknown[] = [];
    const { cut, hasSnapshot, state } = await runInterrupted((stop) =>
      graph(TestState)
        .start([node("a"), failing("x")])
        .catch(
          interrupted("h", stop, ({ error, errors }) => {
            seen.push(error, ...errors);
            return logs("handled");
          }),
        ),
    );
    expect({ cut, hasSnapshot, log: state.log }).toEqual({
      cut: "cancelled",
      hasSnapshot: true,
      log: ["a", "handled"],
    });
    const error = new RestoredError("NODE_FAILED", "x failed");
    expect(seen).toEqual([error, { nodeId: "x", error, timestamp: new Date(5), attempt: 1 }]);
  });

  test("contains why a node runs again, and how often its result was rejected", async () => {
    let answers = 0;
    const { status, errorInfo, state } = await runInterrupted((stop) => {
      const cut = interrupted("unused", stop, ({ feedback }) => logs(`after: ${feedback}`));
      const write = node("write", (context) => {
        if (context.taskId === "write#2") return cut.execute(context);
        return logs(`first: ${context.feedback}`);
      });
      const check = node(
        "check",
        () => {
          answers++;
          throw new SchemaValidationError(`answer ${answers} is bad`);
        },
        { retry: { maxAttempts: 2 } },
      );
      return graph(TestState).start([node("a"), write, check]);
    });
    expect({ status, message: errorInfo?.message, log: state.log }).toEqual({
      status: "failed",
      message: "answer 2 is bad",
      log: ["a", "first: undefined", "after: answer 1 is bad"],
    });
  });

  test("knows the counts of its loops, visits and usage", async () => {
    const { state, usage } = await runInterrupted((stop) => {
      const cut = interrupted("unused", stop, () => logs("third"));
      const tick = node("tick", (context) => {
        if (context.taskId === "tick#3") return cut.execute(context);
        context.emit({ type: "usage", usage: { ...NO_USAGE, inputTokens: 1 } });
        return logs(context.taskId);
      });
      return graph(TestState).loop(tick, { maxIterations: 4 });
    });
    expect(state.log).toEqual(["tick", "tick#2", "third", "tick#4"]);
    expect(usage).toEqual({ ...NO_USAGE, inputTokens: 3 });
  });

  test("knows how its branches stand, and what they changed", async () => {
    const { state } = await runInterrupted((stop) =>
      graph(TestState)
        .start(node("a"))
        .parallel(
          [
            [node("b1"), node("b2", () => ({ stateUpdate: { value: "set", outputs: { b: 1 } } }))],
            failing("c"),
            [node("d1"), interrupted("d2", stop, ({ state: { log } }) => logs(`d2 saw ${log.join()}`))],
          ],
          { strategy: "settled", names: ["b", "c", "d"] },
        ),
    );
    expect(state).toMatchObject({
      log: ["a", "b1", "d1", "d2 saw a,d1"],
      value: "set",
      outputs: {
        b: 1,
        parallel_1: [
          { branch: "b", status: "completed" },
          { branch: "c", status: "failed", error: { code: "NODE_FAILED", message: "c failed" } },
          { branch: "d", status: "completed" },
        ],
      },
    });
  });

  test("knows its open questions", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .parallel([graph(TestState).wait("One?"), graph(TestState).start(node("a")).wait("Two?")])
      .end()
      .compile({ checkpointer, ...EAGER });
    const before = await compiled.run({}, { runId: "r", now: () => 5 });
    const { requests } = await compiled.resume("r");
    expect(requests).toEqual(before.requests);
    expect(requests.map(({ question, askedAt }) => [question, askedAt])).toEqual([
      ["One?", 5],
      ["Two?", 5],
    ]);
  });
});

/** Everything a thread can be in the middle of, in one run that fails in the end. */
function variety(world: World): GraphBuilder<TestState> {
  const write = node("write", (context) => {
    world.enter(context);
    context.emit({ type: "usage", usage: { ...NO_USAGE, inputTokens: 1, costUsd: 0.5 } });
    return logs(`write: ${context.feedback}`);
  });
  const check = node(
    "check",
    (context) => {
      world.enter(context);
      throw new SchemaValidationError("bad");
    },
    { retry: { maxAttempts: 3 } },
  );
  const handler = node("handler", async (context) => {
    world.enter(context);
    await context.step("key", () => new Date(7));
    return logs(`handled ${context.error?.message}`);
  });
  const blocked = graph(TestState)
    .start(node("before"))
    .if((): boolean => {
      throw new Error("cannot decide");
    });
  return graph(TestState)
    .start([write, check])
    .catch(handler)
    .parallel(
      [
        graph(TestState).loop(failing("x", "x", { retry: { maxAttempts: 2, backoffMs: 0 } }), { maxIterations: 3 }),
        graph(TestState).loop(node("tick"), { maxIterations: 3 }).wait(),
      ],
      { strategy: "any", names: ["x", "tick"] },
    )
    .parallel([blocked.then(node("never")).endif(), [node("c"), node("d", () => ({ stateUpdate: { value: "v" } }))]]);
}

describe("a snapshot that is read back", () => {
  /** Takes a snapshot at every point of a run's journal, reads it, and takes it again. */
  async function assertSameAtEveryPoint(build: BuildGraph, torment: Torment): Promise<number> {
    const journals: (readonly JournalEntry[])[] = [];
    await survive(build, { ...torment, onEnd: (entries) => journals.push(entries) });
    const { code } = build(new World(), 0).end().compile();
    const [entries = []] = journals;
    for (let count = 1; count <= entries.length; count++) {
      const { run } = restoreRun("r", entries.slice(0, count), code);
      const text = encodeSnapshot(run);
      expect(encodeSnapshot(decodeSnapshot(text, code))).toBe(text);
    }
    return entries.length;
  }

  test("is the same again, whatever was in progress", async () => {
    for (const lives of [[], [6], [9], [12], [20]])
      expect(await assertSameAtEveryPoint(variety, { lives })).toBeGreaterThanOrEqual(20);
  });

  test("is the same again in any graph", async () => {
    const lives = fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(plans, lives, async (plan, lengths) => {
        await assertSameAtEveryPoint((world) => buildPlan(plan, world), { lives: lengths });
      }),
      { numRuns: 50 },
    );
  });
});

describe("the journal", () => {
  /** What a run writes, in characters, by kind. */
  async function lengthsOf(iterations: number, body: readonly NodeDefinition<TestState>[]) {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .loop(
        graph(TestState)
          .start(node("first", () => ({ stateUpdate: { total: 1 } })))
          .parallel(body),
        {
          maxIterations: iterations,
        },
      )
      .end()
      .compile({ checkpointer, snapshotMinLength: 2_000 });
    await compiled.run({}, { runId: "r" });
    const lengths = { record: 0, snapshot: 0, lastSnapshot: 0, snapshots: 0 };
    for (const { kind, body: text } of await checkpointer.read("r")) {
      lengths[kind] += text.length;
      if (kind === "snapshot") Object.assign(lengths, { lastSnapshot: text.length, snapshots: lengths.snapshots + 1 });
    }
    return lengths;
  }
  const adding = ["a", "b", "c"].map((id) => node(id, () => ({ stateUpdate: { total: 1 } })));

  test("has rare snapshots: they cost no more than the records", async () => {
    const lengths = await lengthsOf(500, adding);
    expect(lengths.snapshots).toBeGreaterThan(10);
    expect(lengths.snapshot).toBeLessThan(lengths.record);
  });

  test("has snapshots that do not grow with the number of steps", async () => {
    const [few, many] = [await lengthsOf(50, adding), await lengthsOf(2_000, adding)];
    expect(many.lastSnapshot).toBeLessThan(few.lastSnapshot * 1.2);
  });

  test("does without snapshots of what it cannot keep", async () => {
    class Secret {
      readonly count: number = 1;
    }
    const Odd = defineState({ log: annotation<string[]>([], Reducers.concat), secret: annotation(new Secret()) });
    const checkpointer = new MemorySaver();
    let isBroken = true;
    const compiled = graph(Odd)
      .start({ id: "a", type: "tool", execute: () => ({ stateUpdate: { log: ["a"] } }) })
      .then({
        id: "b",
        type: "tool",
        execute: () => {
          if (isBroken) throw new Error("b");
          return { stateUpdate: { log: ["b"] } };
        },
      })
      .end()
      .compile({ checkpointer, ...EAGER });
    expect((await compiled.run({}, { runId: "r" })).status).toBe("failed");
    expect((await checkpointer.read("r")).map(({ kind }) => kind)).toEqual(["record", "record", "record"]);
    isBroken = false;
    const { status, state } = await compiled.resume("r");
    expect({ status, log: state.log, secret: state.secret }).toEqual({
      status: "completed",
      log: ["a", "b"],
      secret: new Secret(),
    });
  });
});
