import { describe, expect, test } from "bun:test";
import { NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { JournalWriteError, NodeTimeoutError } from "../errors/errors.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { controlled, logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

const AT_ONCE = { backoffMs: 0, jitter: 0 };

describe("a node's timeoutMs", () => {
  test("fails the node and aborts its signal", async () => {
    const slow = controlled("slow", { timeoutMs: 5 });
    const compiled = graph(TestState)
      .start(slow.node)
      .catch((error) => logs(error.message))
      .end()
      .compile();
    const ended = compiled.execute();
    expect(await slow.aborted).toEqual(new NodeTimeoutError("slow", 5));
    expect((await ended).log).toEqual([
      'The node "slow" took longer than its time limit of 5 ms. Raise it or split the node.',
    ]);
  });

  test("can be followed by another attempt; the first one is ignored from then on", async () => {
    const late = Promise.withResolvers<void>();
    const events: RunEvent[] = [];
    const slow = node(
      "slow",
      async (context) => {
        if (context.attempt === 2) return logs("second");
        await late.promise;
        context.emit({ type: "log", message: "too late" });
        return logs("first");
      },
      { timeoutMs: 5, retry: { maxAttempts: 2, ...AT_ONCE } },
    );
    const next = controlled("next");
    const compiled = graph(TestState).start([slow, next.node]).end().compile();
    const ended = compiled.execute({}, { onEvent: (event) => events.push(event) });
    await next.started;
    late.resolve();
    next.finish();
    expect((await ended).log).toEqual(["second", "next"]);
    expect(events.map(({ type }) => type)).not.toContain("log");
  });

  /** Runs a node beside one that starts later and times out later, after 5 ms; `after` resolves when that has happened. */
  async function runBeside(make: (after: Promise<unknown>) => NodeDefinition<TestState>) {
    const later = controlled("later", { timeoutMs: 5 });
    const caught = graph(TestState)
      .start(later.node)
      .catch(() => ({}));
    return await graph(TestState)
      .parallel([make(later.aborted), caught])
      .end()
      .compile()
      .execute();
  }

  test("does not fail a node that stopped its time limit", async () => {
    const { log } = await runBeside((after) =>
      node(
        "x",
        async ({ stopTimeout }) => {
          stopTimeout();
          await after;
          return logs("x");
        },
        { timeoutMs: 1 },
      ),
    );
    expect(log).toEqual(["x"]);
  });

  test("fails a node that resumed its time limit", async () => {
    const hanging = controlled("hanging", { timeoutMs: 5 });
    const execute: typeof hanging.node.execute = (context) => {
      const resume = context.stopTimeout();
      resume();
      return hanging.node.execute(context);
    };
    const { errorInfo } = await graph(TestState)
      .start({ ...hanging.node, execute })
      .end()
      .compile()
      .run();
    expect(errorInfo).toMatchObject({ code: "NODE_TIMEOUT", nodeId: "hanging" });
  });

  test("longer than a timer can be does not fire at once", async () => {
    // JavaScript fires a timer that is too long after 1 ms.
    const { log } = await runBeside((after) => node("x", () => after.then(() => logs("x")), { timeoutMs: 2 ** 40 }));
    expect(log).toEqual(["x"]);
  });
});

describe("the events of a run", () => {
  test("come in the order in which they happen", async () => {
    const loop = graph(TestState).loop(
      node("tick", ({ emit }) => {
        emit({ type: "log", message: "tick" });
        return { stateUpdate: { total: 1 } };
      }),
      { maxIterations: 2 },
    );
    const compiled = graph(TestState).start(loop).wait("Ship?").end().compile({ name: "small" });
    const checkpointer = new MemorySaver();
    const events: RunEvent[] = [];
    const options = { runId: "r", now: () => 5, checkpointer, onEvent: (event: RunEvent) => events.push(event) };
    await compiled.run({}, options);
    await compiled.resume("r", { wait_1: "yes" }, options);
    const at = { runId: "r", at: 5 };
    const tick = (taskId: string): readonly RunEvent[] => [
      { type: "node-start", nodeId: "tick", taskId, nodeType: "tool", name: "tick", attempt: 1, ...at },
      { type: "log", message: "tick", nodeId: "tick", taskId, ...at },
    ];
    const tickEnd = { durationMs: 0, usage: NO_USAGE, update: { total: 1 }, ...at };
    const wait = { nodeId: "wait_1", taskId: "wait_1", ...at };
    const options_ = [{ label: "yes" }, { label: "no" }];
    expect(events).toEqual([
      { type: "run-start", workflow: "small", isResume: false, ...at },
      { type: "checkpoint", sequence: 1, ...at },
      ...tick("tick"),
      { type: "checkpoint", sequence: 2, ...at },
      { type: "node-end", nodeId: "tick", taskId: "tick", ...tickEnd, next: ["tick#2"] },
      ...tick("tick#2"),
      { type: "checkpoint", sequence: 3, ...at },
      { type: "node-end", nodeId: "tick", taskId: "tick#2", ...tickEnd, next: ["wait_1"] },
      { type: "node-start", ...wait, nodeType: "wait", name: "wait_1", attempt: 1 },
      { type: "checkpoint", sequence: 4, ...at },
      {
        type: "request",
        ...wait,
        request: { id: "wait_1", nodeId: "wait_1", question: "Ship?", options: options_, askedAt: 5 },
      },
      { type: "checkpoint", sequence: 5, ...at },
      { type: "run-end", status: "suspended", usage: NO_USAGE, ...at },
      { type: "run-start", workflow: "small", isResume: true, ...at },
      { type: "checkpoint", sequence: 6, ...at },
      { type: "checkpoint", sequence: 7, ...at },
      { type: "answer", ...wait, requestId: "wait_1", value: "yes" },
      { type: "checkpoint", sequence: 8, ...at },
      { type: "run-end", status: "completed", usage: NO_USAGE, output: "yes", ...at },
    ]);
  });

  test("number checkpoints correctly while writes are slow", async () => {
    const checkpointer = new FaultySaver(new MemorySaver(), { isSlow: true });
    const stepping = (id: string) =>
      node(id, async ({ step }) => {
        await Promise.all([step("one", () => 1), step("two", () => 2)]);
        return logs(id);
      });
    const sequences: number[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "checkpoint") sequences.push(event.sequence);
    };
    const compiled = graph(TestState)
      .parallel([stepping("a"), stepping("b")])
      .end()
      .compile();
    await compiled.execute({}, { runId: "r", checkpointer, onEvent });
    const records = await recordsOf(checkpointer, "r");
    const placesOfOthers = records.flatMap(({ type }, index) => (type === "step" ? [] : [index + 1]));
    expect(records.map(({ type }) => type).toSorted()).toEqual([
      "done",
      "done",
      "end",
      "run",
      "step",
      "step",
      "step",
      "step",
    ]);
    expect(sequences).toEqual(placesOfOthers);
  });
});

describe("a journal that cannot be written", () => {
  const failsFrom = (failAfter: number, isSlow: boolean) => new FaultySaver(new MemorySaver(), { failAfter, isSlow });

  test.each([false, true])(
    "ends the run with a JournalWriteError, not with a failure of a node (slow: %p)",
    async (isSlow) => {
      const compiled = graph(TestState)
        .start([node("a"), node("b")])
        .catch(() => logs("handled"))
        .end()
        .compile();
      for (const failAfter of [0, 1, 2, 3]) {
        const checkpointer = failsFrom(failAfter, isSlow);
        const error = await rejectionOf(compiled.run({}, { runId: "r", checkpointer }));
        expect(error).toBeInstanceOf(JournalWriteError);
        expect(error.message).toBe(
          'The journal of the run "r" cannot be written (disk full). Make room or repair the access, then resume the run.',
        );
        expect(error.cause).toEqual(new Error("disk full"));
        expect(checkpointer.writeCount).toBe(failAfter);
      }
    },
  );

  test.each([false, true])(
    "is not taken for a failure of the node whose step could not be kept (slow: %p)",
    async (isSlow) => {
      const stepping = node("a", async ({ step }) => logs(String(await step("one", () => 1))), {
        retry: { maxAttempts: 5, ...AT_ONCE },
      });
      const compiled = graph(TestState)
        .start(stepping)
        .catch(() => logs("handled"))
        .end()
        .compile();
      const types: string[] = [];
      const onEvent = ({ type }: RunEvent): void => void types.push(type);
      const error = await rejectionOf(compiled.run({}, { runId: "r", checkpointer: failsFrom(1, isSlow), onEvent }));
      expect(error).toBeInstanceOf(JournalWriteError);
      expect(types).toEqual(["run-start", "checkpoint", "node-start"]);
    },
  );

  test("ends the run even if the node swallows the error of its step", async () => {
    const swallowing = node("a", async ({ step }) => {
      await step("one", () => 1).catch(() => undefined);
      return logs("a");
    });
    const checkpointer = failsFrom(1, false);
    const compiled = graph(TestState).start(swallowing).end().compile();
    expect(await rejectionOf(compiled.run({}, { runId: "r", checkpointer }))).toBeInstanceOf(JournalWriteError);
  });

  test("aborts the nodes in progress", async () => {
    const [other, quick] = [controlled("other"), controlled("quick")];
    const compiled = graph(TestState).parallel([other.node, quick.node]).end().compile();
    const ended = rejectionOf(compiled.run({}, { runId: "r", checkpointer: failsFrom(1, false) }));
    await Promise.all([other.started, quick.started]);
    quick.finish();
    expect(await other.aborted).toBeInstanceOf(JournalWriteError);
    expect(await ended).toBeInstanceOf(JournalWriteError);
  });

  test("leaves no gap: entries queued after a failed write are not written", async () => {
    const memory = new MemorySaver();
    let writes = 0;
    const checkpointer = new FaultySaver(memory, { isSlow: true });
    const open = checkpointer.open.bind(checkpointer);
    checkpointer.open = async (runId, mode) => {
      const journal = await open(runId, mode);
      // The second write fails, later ones would not.
      return {
        ...journal,
        append: async (entry) => (++writes === 2 ? Promise.reject(new Error("hiccup")) : journal.append(entry)),
      };
    };
    const stepping = node("a", async ({ step }) => {
      await Promise.allSettled([step("one", () => 1), step("two", () => 2), step("three", () => 3)]);
      return logs("a");
    });
    const compiled = graph(TestState).start(stepping).end().compile({ checkpointer });
    expect(await rejectionOf(compiled.run({}, { runId: "r" }))).toBeInstanceOf(JournalWriteError);
    expect((await memory.read("r")).map(({ sequence }) => sequence)).toEqual([1]);
    expect((await compiled.resume("r", {}, { checkpointer: memory })).state.log).toEqual(["a"]);
  });

  test("can be written again later: the run resumes", async () => {
    const memory = new MemorySaver();
    const compiled = graph(TestState)
      .start([node("a"), node("b"), node("c")])
      .end()
      .compile();
    await rejectionOf(compiled.run({}, { runId: "r", checkpointer: new FaultySaver(memory, { failAfter: 2 }) }));
    await rejectionOf(compiled.resume("r", {}, { checkpointer: new FaultySaver(memory, { failAfter: 2 }) }));
    const { status, state } = await compiled.resume("r", {}, { checkpointer: memory });
    expect({ status, log: state.log }).toEqual({ status: "completed", log: ["a", "b", "c"] });
  });
});

describe("the end of a run", () => {
  test("waits for aborted nodes to clean up", async () => {
    const stop = new AbortController();
    const cleanedUp: string[] = [];
    const tidy = node("tidy", async ({ signal }) => {
      stop.abort();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await new Promise((resolve) => setImmediate(resolve));
      cleanedUp.push("tidy");
      return;
    });
    const { status } = await graph(TestState).start(tidy).end().compile().run({}, { signal: stop.signal });
    expect({ status, cleanedUp }).toEqual({ status: "cancelled", cleanedUp: ["tidy"] });
  });

  test("does not wait for ever, and ignores code that is still running", async () => {
    const stop = new AbortController();
    const released = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const events: RunEvent[] = [];
    const checkpointer = new MemorySaver();
    const deaf = node("deaf", async ({ emit, step }) => {
      stop.abort();
      await released.promise;
      emit({ type: "log", message: "still here" });
      await step("late", () => 1).catch(() => undefined);
      left.resolve();
      return logs("deaf");
    });
    const compiled = graph(TestState).start(deaf).end().compile();
    const options = { runId: "r", signal: stop.signal, cancelGraceMs: 5, checkpointer };
    const { status } = await compiled.run({}, { ...options, onEvent: (event) => events.push(event) });
    expect(status).toBe("cancelled");
    // Only now: the run has not waited for it.
    released.resolve();
    await left.promise;
    expect(events.at(-1)).toMatchObject({ type: "run-end", status: "cancelled" });
    expect((await recordsOf(checkpointer, "r")).map(({ type }) => type)).toEqual(["run", "end"]);
  });
});

describe("the usage of a run", () => {
  const spend = (id: string, inputTokens: number, costUsd?: number, isBroken = false) =>
    node(id, ({ emit }) => {
      emit({ type: "usage", usage: { ...NO_USAGE, inputTokens, ...(costUsd === undefined ? {} : { costUsd }) } });
      emit({ type: "usage", usage: { ...NO_USAGE, outputTokens: 1 } });
      if (isBroken) throw new Error(`${id} failed`);
      return;
    });

  test("is the sum over its nodes, failed and rejected attempts included", async () => {
    const compiled = graph(TestState)
      .start(spend("a", 1))
      .parallel([spend("b", 10, 0.5), spend("c", 100)])
      .then({ ...spend("d", 1_000, undefined, true), retry: { maxAttempts: 2, ...AT_ONCE } })
      .catch(spend("e", 10_000))
      .end()
      .compile();
    const { status, usage } = await compiled.run();
    expect({ status, usage }).toEqual({
      status: "completed",
      usage: { ...NO_USAGE, inputTokens: 12_111, outputTokens: 6, costUsd: 0.5 },
    });
  });

  test("includes the node that ended the run, even after a restart", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start([spend("a", 1), spend("b", 10, undefined, true)])
      .end()
      .compile({ checkpointer });
    expect((await compiled.run({}, { runId: "r" })).usage).toEqual({ ...NO_USAGE, inputTokens: 11, outputTokens: 2 });
    expect((await compiled.resume("r")).usage).toEqual({ ...NO_USAGE, inputTokens: 21, outputTokens: 3 });
  });
});

test("a run that resumes after the clock was set back by a year waits no longer than its pause is", async () => {
  const YEAR_MS = 365 * 24 * 3_600_000;
  for (const options of [{}, { snapshotMinLength: 0 }]) {
    const failed = Promise.withResolvers<void>();
    const cancelling = new AbortController();
    const flaky = node(
      "flaky",
      ({ attempt }) => {
        if (attempt === 1) throw new Error("not yet");
        return logs("done");
      },
      { retry: { maxAttempts: 2, backoffMs: 30, jitter: 0 } },
    );
    const compiled = graph(TestState)
      .start(flaky)
      .end()
      .compile({ checkpointer: new MemorySaver(), ...options });
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-error") failed.resolve();
    };
    const running = compiled.run({}, { runId: "r", signal: cancelling.signal, onEvent, now: () => 2 * YEAR_MS });
    await failed.promise;
    cancelling.abort();
    await running;
    const { status, state } = await compiled.resume("r", {}, { now: () => YEAR_MS });
    expect({ status, log: state.log }).toEqual({ status: "completed", log: ["done"] });
  }
});
