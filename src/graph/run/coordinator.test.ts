import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { RunLimitError, SchemaValidationError } from "../errors/errors.ts";
import { controlled, failing, fieldsOf, logs, node, recordsOf, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

const AT_ONCE = { backoffMs: 0, jitter: 0 };

/** A node that fails so many times before it succeeds. */
function flaky(id: string, failures: number, extra: Partial<NodeDefinition<TestState>> = {}) {
  let count = 0;
  const execute: NodeDefinition<TestState>["execute"] = ({ attempt }) => {
    if (count++ < failures) throw new Error(`failure ${count}`);
    return logs(`${id} at attempt ${attempt}`);
  };
  return node(id, execute, extra);
}

describe("retries", () => {
  test("run a node again until it succeeds, and publish events", async () => {
    const events: RunEvent[] = [];
    const compiled = graph(TestState)
      .start(flaky("x", 2, { retry: { maxAttempts: 3, ...AT_ONCE } }))
      .end()
      .compile();
    const { log } = await compiled.execute({}, { runId: "r", now: () => 5, onEvent: (event) => events.push(event) });
    expect(log).toEqual(["x at attempt 3"]);
    const about = { nodeId: "x", taskId: "x", runId: "r", at: 5 };
    const start = { type: "node-start" as const, ...about, nodeType: "tool", name: "x" };
    const failed = (attempt: number): RunEvent => ({
      type: "node-error",
      ...about,
      attempt,
      error: { code: "NODE_FAILED", message: `failure ${attempt}`, nodeId: "x" },
      retryAt: 5,
    });
    expect(events).toEqual([
      { type: "run-start", workflow: "graph", isResume: false, runId: "r", at: 5 },
      { ...start, attempt: 1 },
      failed(1),
      { ...start, attempt: 2 },
      failed(2),
      { ...start, attempt: 3 },
      { type: "node-end", ...about, durationMs: 0, usage: NO_USAGE, update: { log } },
      { type: "run-end", status: "completed", usage: NO_USAGE, output: { log }, runId: "r", at: 5 },
    ]);
  });

  test("end with the last failure", async () => {
    const saver = new MemorySaver();
    const compiled = graph(TestState)
      .start(flaky("x", 9, { retry: { maxAttempts: 2, ...AT_ONCE } }))
      .end()
      .compile();
    const { status, errorInfo } = await compiled.run({}, { runId: "r", checkpointer: saver, now: () => 5 });
    const error = { code: "NODE_FAILED", message: "failure 2", nodeId: "x" };
    expect({ status, errorInfo }).toEqual({ status: "failed", errorInfo: error });
    const records = await recordsOf(saver, "r");
    expect(records.slice(1)).toEqual([
      {
        type: "retry",
        at: 5,
        task: "x",
        node: "x",
        attempt: 1,
        error: { code: "NODE_FAILED", message: "failure 1" },
        retryAt: 5,
      },
      { type: "end", at: 5, status: "failed", error, failedTask: "x" },
    ]);
  });

  test("wait as long as planned", async () => {
    const [startedAt, backoffMs] = [performance.now(), 40];
    const x = flaky("x", 1, { retry: { maxAttempts: 2, backoffMs, jitter: 0 } });
    const { log } = await graph(TestState).start(x).end().compile().execute();
    expect(log).toEqual(["x at attempt 2"]);
    // Timers may be early by what clocks are rounded by.
    expect(performance.now() - startedAt).toBeGreaterThan(backoffMs - 2);
  });

  test("are decided by retryOn", async () => {
    const retryOn = (error: Error): boolean => error.message !== "failure 2";
    const compiled = graph(TestState)
      .start(flaky("x", 9, { retry: { maxAttempts: 9, ...AT_ONCE, retryOn } }))
      .end()
      .compile();
    expect((await compiled.run()).errorInfo?.message).toBe("failure 2");
  });

  test("end when retryOn itself fails, with its error", async () => {
    const retryOn = (): never => {
      throw new TypeError("retryOn is broken");
    };
    const compiled = graph(TestState)
      .start(flaky("x", 9, { retry: { maxAttempts: 9, ...AT_ONCE, retryOn } }))
      .end()
      .compile();
    expect((await compiled.run()).errorInfo).toEqual({
      code: "NODE_FAILED",
      message: "retryOn is broken",
      nodeId: "x",
    });
  });

  test("do not hold up a run whose branch has lost", async () => {
    const retry = { maxAttempts: 2, backoffMs: 60_000, maxBackoffMs: 60_000 };
    const compiled = graph(TestState)
      .parallel([failing("x", "x", { retry }), node("a")], { strategy: "race" })
      .wait()
      .end()
      .compile({ checkpointer: new MemorySaver() });
    expect((await compiled.run()).status).toBe("suspended");
  });

  test("come before a catch()", async () => {
    const compiled = graph(TestState)
      .start(flaky("x", 9, { retry: { maxAttempts: 3, ...AT_ONCE } }))
      .catch((error, { errors }) => logs(error.message, `attempt ${errors[0]?.attempt}`))
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["failure 3", "attempt 3"]);
  });

  test("treat an update that the state rejects as a failure of the node", async () => {
    // The casts are false on purpose: a JavaScript caller can do this.
    const updates = [{ tpoic: 1 }, { value: () => 1 }, { log: "no list" }] as unknown as readonly Partial<TestState>[];
    const errors = await Promise.all(
      updates.map(async (stateUpdate) => {
        const compiled = graph(TestState)
          .start(node("x", () => ({ stateUpdate })))
          .end()
          .compile();
        const { errorInfo, state } = await compiled.run();
        return [errorInfo?.code, errorInfo?.message, state.log];
      }),
    );
    expect(errors).toEqual([
      [
        "STATE_UNKNOWN_FIELD",
        'The state has no field "tpoic". Its fields: outputs, log, total, value, isDone. Declare it in defineState() or correct the update.',
        [],
      ],
      [
        "STATE_UNSERIALIZABLE",
        'The value at "value" is a function, which a journal cannot keep. Store plain data (JSON, Date, Map, Set, bigint, Uint8Array) instead.',
        [],
      ],
      [
        "STATE_UNFIT_UPDATE",
        'The update of "log" from "x" does not fit this field, and nothing was changed: Reducers.concat takes a list, and was given "no list". Give a value of the field\'s own type.',
        [],
      ],
    ]);
  });

  test("treat a reducer that throws as a failure of the node", async () => {
    // The cast is a lie on purpose: a caller in JavaScript can do this.
    const stateUpdate = { log: 5 } as unknown as Partial<TestState>;
    const compiled = graph(TestState)
      .start(node("x", () => ({ stateUpdate })))
      .catch((error) => logs(error.name))
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["UnfitUpdateError"]);
  });
});

describe("a SchemaValidationError", () => {
  /** `write` answers with the feedback that it received; `check` rejects the first `bad` answers. */
  function checked(bad: number, maxAttempts: number) {
    const write = node("write", ({ feedback, taskId }) => logs(`${taskId}: ${feedback ?? "no feedback"}`));
    let visits = 0;
    const check = node(
      "check",
      () => {
        visits++;
        if (visits <= bad) throw new SchemaValidationError(`answer ${visits} is bad`);
        return logs("checked");
      },
      { retry: { maxAttempts } },
    );
    return graph(TestState).start(write).then(check);
  }

  test("runs the preceding node again, with the reason", async () => {
    const { log } = await checked(2, 3).end().compile().execute();
    expect(log).toEqual(["write: no feedback", "write#2: answer 1 is bad", "write#3: answer 2 is bad", "checked"]);
  });

  test("fails after the maxAttempts of the node that throws it", async () => {
    const { errorInfo, state } = await checked(9, 3).end().compile().run();
    expect(errorInfo).toEqual({ code: "SCHEMA_VALIDATION", message: "answer 3 is bad", nodeId: "check" });
    expect(state.log).toHaveLength(3);
  });

  test("fails at once without attempts, and without a previous node", async () => {
    expect((await checked(9, 1).end().compile().run()).errorInfo?.message).toBe("answer 1 is bad");
    const first = node(
      "first",
      () => {
        throw new SchemaValidationError("bad input");
      },
      { retry: { maxAttempts: 5 } },
    );
    expect((await graph(TestState).start(first).end().compile().run()).errorInfo?.message).toBe("bad input");
  });

  test("counts from 0 again after the node accepted an answer", async () => {
    let visits = 0;
    const check = node(
      "check",
      () => {
        if (++visits % 2 === 1) throw new SchemaValidationError("bad");
        return logs("content");
      },
      { retry: { maxAttempts: 2 } },
    );
    const compiled = graph(TestState)
      .loop([node("write"), check], { maxIterations: 2 })
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["write", "write", "content", "write", "write", "content"]);
  });

  test("is not passed to the handler of a node that received it and failed", async () => {
    const write = node("write", ({ feedback }) => {
      if (feedback !== undefined) throw new Error(`feedback: ${feedback}`);
      return;
    });
    const check = node(
      "check",
      () => {
        throw new SchemaValidationError("bad");
      },
      { retry: { maxAttempts: 2 } },
    );
    const compiled = graph(TestState)
      .start([write, check])
      .catch((error, { feedback }) => logs(error.message, feedback ?? "no feedback"))
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual(["feedback: bad", "no feedback"]);
  });

  test("goes to a catch() in the end, which has no feedback itself", async () => {
    const compiled = checked(9, 2)
      .catch((error, { feedback }) => logs(error.message, feedback ?? "no feedback"))
      .end()
      .compile();
    expect((await compiled.execute()).log.slice(2)).toEqual(["answer 2 is bad", "no feedback"]);
  });

  test("has all its attempts again when a handler leads back", async () => {
    const compiled = checked(3, 2)
      .catch((error) => ({ ...logs(error.message), goto: "write" }))
      .end()
      .compile();
    expect((await compiled.execute()).log).toEqual([
      "write: no feedback",
      "write#2: answer 1 is bad",
      "answer 2 is bad",
      "write#3: no feedback",
      "write#4: answer 3 is bad",
      "checked",
    ]);
  });
});

describe("limits", () => {
  test("maxConcurrency applies to the whole run, nested branches included", async () => {
    const shapes = fc.record({
      widths: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
      maxConcurrency: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(shapes, async ({ widths, maxConcurrency }) => {
        const counts = { running: 0, most: 0, ended: 0 };
        const work = (id: string) =>
          node(id, async () => {
            counts.running++;
            counts.most = Math.max(counts.most, counts.running);
            await Promise.resolve();
            counts.running--;
            counts.ended++;
            return logs(id);
          });
        const branches = widths.map((width, outer) => {
          const inner = Array.from({ length: width }, (_, index) => work(`n${outer}-${index}`));
          return graph(TestState)
            .start(work(`n${outer}`))
            .parallel(inner);
        });
        await graph(TestState).parallel(branches).end().compile().execute({}, { maxConcurrency });
        const innerTotal = widths.reduce((sum, width) => sum + width, 0);
        expect(counts.ended).toBe(innerTotal + widths.length);
        expect(counts.most).toBeLessThanOrEqual(maxConcurrency);
        expect(counts.most).toBeGreaterThanOrEqual(Math.min(maxConcurrency, widths.length));
      }),
      { numRuns: 50 },
    );
  });

  test("an aborted branch keeps its place until its code has ended", async () => {
    const stubborn = Promise.withResolvers<void>();
    const loser = node("loser", async () => {
      await stubborn.promise;
      return;
    });
    const next = controlled("next");
    const compiled = graph(TestState)
      .parallel([loser, node("winner")], { strategy: "race" })
      .then([node("a"), next.node])
      .end()
      .compile();
    const ended = compiled.execute({}, { maxConcurrency: 2 });
    await next.started;
    stubborn.resolve();
    next.finish();
    expect((await ended).log).toEqual(["winner", "a", "next"]);
  });

  test("a branch that was dropped before it started does not keep a run from suspending", async () => {
    const doomed = graph(TestState).parallel([failing("x"), node("never")]);
    const compiled = graph(TestState)
      .parallel([graph(TestState).wait(), doomed], { strategy: "settled", names: ["w", "d"] })
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const { status, requests } = await compiled.run({}, { maxConcurrency: 1 });
    expect({ status, ids: requests.map(({ id }) => id) }).toEqual({
      status: "suspended",
      ids: ["parallel_1[w]/wait_1"],
    });
  });

  test("maxSteps stops a run that makes no progress", async () => {
    const compiled = graph(TestState)
      .start([node("a"), node("b")])
      .loop(node("c"), { until: () => false })
      .end()
      .compile();
    const { error, errorInfo, state } = await compiled.run({}, { maxSteps: 5 });
    expect(errorInfo).toEqual({
      code: "RUN_LIMIT",
      message: "The run started 5 nodes, which is its maxSteps. Raise maxSteps, or look for a loop without progress.",
      bound: "maxSteps",
    });
    expect(error).toEqual(new RunLimitError("maxSteps", 5));
    expect(state.log).toEqual(["a", "b", "c", "c", "c"]);
    const exact = graph(TestState)
      .start([node("a"), node("b")])
      .end()
      .compile();
    expect((await exact.run({}, { maxSteps: 2 })).status).toBe("completed");
  });

  test("a run stopped by maxSteps resumes with a higher one", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start([node("a"), node("b"), node("c")])
      .end()
      .compile({ checkpointer });
    expect((await compiled.run({}, { runId: "r", maxSteps: 2 })).status).toBe("failed");
    expect((await compiled.resume("r", {}, { maxSteps: 2 })).status).toBe("failed");
    expect((await compiled.resume("r", {}, { maxSteps: 3 })).state.log).toEqual(["a", "b", "c"]);
  });

  test("timeoutMs stops a run and aborts the nodes in progress", async () => {
    const slow = controlled("slow");
    const ended = graph(TestState)
      .start([node("a"), slow.node])
      .end()
      .compile()
      .run({}, { timeoutMs: 5 });
    expect(await slow.aborted).toEqual(new RunLimitError("timeoutMs", 5));
    const { status, errorInfo, state } = await ended;
    expect({ status, errorInfo, log: state.log }).toEqual({
      status: "failed",
      errorInfo: {
        code: "RUN_LIMIT",
        message: "The run took longer than its timeoutMs of 5 ms. Raise timeoutMs, then resume the run.",
        bound: "timeoutMs",
      },
      log: ["a"],
    });
  });
});

test("a failing node does not change the state", async () => {
  const { state } = await graph(TestState)
    .start([node("a"), failing("x")])
    .end()
    .compile()
    .run({ value: "kept" });
  expect(fieldsOf(state)).toEqual({ log: ["a"], total: 0, value: "kept", isDone: false, outputs: {} });
});
