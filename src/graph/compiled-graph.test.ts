import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../contracts/index.ts";
import { graph } from "./builder.ts";
import {
  GraphChangedError,
  RunExistsError,
  RunFinishedError,
  RunLockedError,
  RunSuspendedError,
  UnknownRunError,
} from "./errors/errors.ts";
import { UnknownStateFieldError, UnserializableValueError } from "./errors/update-errors.ts";
import { controlled, failing, fieldsOf, logs, node, recordsOf, rejectionOf, TestState } from "./fixtures/test-nodes.ts";
import { MemorySaver } from "./savers/memory-saver.ts";

const EMPTY = { log: [], total: 0, value: "", isDone: false, outputs: {} };
const two = () => graph(TestState).start(node("a")).then(node("b")).end();

describe("run()", () => {
  test("returns a complete result", async () => {
    const { state, ...result } = await two()
      .compile()
      .run({ value: "in" }, { runId: "r", now: () => 5 });
    expect(result).toEqual({
      runId: "r",
      status: "completed",
      requests: [],
      error: undefined,
      errorInfo: undefined,
      usage: NO_USAGE,
      output: { log: ["b"] },
      warnings: [],
    });
    expect(state).toEqual({ ...EMPTY, log: ["a", "b"], value: "in", executionId: "r", lastUpdated: new Date(5) });
  });

  test("creates an id unless one is given", async () => {
    const { runId, state } = await two().compile().run();
    expect(runId).toMatch(/^[0-9a-f]{32}$/);
    expect(state.executionId).toBe(runId);
  });

  test("rejects an input that the state does not accept, before anything runs", async () => {
    const checkpointer = new MemorySaver();
    const compiled = two().compile({ checkpointer });
    // The casts are false on purpose: a JavaScript caller can do this.
    expect(await rejectionOf(compiled.run({ tpoic: 1 } as Partial<TestState>))).toBeInstanceOf(UnknownStateFieldError);
    const error = await rejectionOf(compiled.run({ value: (() => 1) as unknown as string }));
    expect(error).toEqual(new UnserializableValueError("input.value", "a function"));
    expect(
      await rejectionOf(
        two()
          .compile()
          .run({ value: (() => 1) as unknown as string }),
      ),
    ).toEqual(error);
    expect(await checkpointer.list()).toEqual([]);
  });

  test("rejects an id that is taken", async () => {
    const compiled = two().compile({ checkpointer: new MemorySaver() });
    await compiled.run({}, { runId: "r" });
    expect(await rejectionOf(compiled.run({}, { runId: "r" }))).toEqual(new RunExistsError("r"));
    expect(new RunExistsError("r").message).toBe(
      'The run "r" exists already. Resume it, or start one with another id.',
    );
  });

  test("any number of runs of one graph can be in progress", async () => {
    const compiled = two().compile({ checkpointer: new MemorySaver() });
    const results = await Promise.all([1, 2, 3].map((total) => compiled.run({ total })));
    expect(results.map(({ state }) => [state.total, ...state.log])).toEqual(
      [1, 2, 3].map((total) => [total, "a", "b"]),
    );
  });

  test("can be observed without a journal and journaled without an observer", async () => {
    const types: string[] = [];
    await two()
      .compile()
      .run({}, { onEvent: ({ type }) => types.push(type) });
    expect(types).toEqual(["run-start", "node-start", "node-end", "node-start", "node-end", "run-end"]);
  });

  test("does not rewrite what has not changed", async () => {
    const checkpointer = new MemorySaver();
    const big = node("big", () => ({ stateUpdate: { value: "x".repeat(10_000) } }));
    const echo = node("echo", ({ state: { value, isDone, outputs } }) => ({
      stateUpdate: { value, total: 1, isDone, outputs },
    }));
    const compiled = graph(TestState)
      .start(big)
      .loop({ ...echo }, { maxIterations: 50 })
      .end()
      .compile();
    const { state } = await compiled.run({}, { runId: "r", checkpointer });
    expect([state.total, state.value.length]).toEqual([50, 10_000]);
    const length = (await checkpointer.read("r")).reduce((sum, { body }) => sum + body.length, 0);
    expect(length).toBeLessThan(25_000);
  });
});

describe("resume()", () => {
  test("restarts the failed node and leaves the finished ones alone", async () => {
    const checkpointer = new MemorySaver();
    const attempts: string[] = [];
    let isBroken = true;
    const x = node("x", ({ taskId, attempt }) => {
      attempts.push(`${taskId} ${attempt}`);
      if (isBroken) throw new Error("still broken");
      return logs("x");
    });
    const compiled = graph(TestState)
      .start(node("a"))
      .then([x, node("b")])
      .end()
      .compile({ checkpointer });
    expect((await compiled.run({}, { runId: "r" })).status).toBe("failed");
    expect((await compiled.resume("r")).errorInfo?.message).toBe("still broken");
    isBroken = false;
    const { status, state, error } = await compiled.resume("r");
    expect({ status, log: state.log, error }).toEqual({ status: "completed", log: ["a", "x", "b"], error: undefined });
    expect(attempts).toEqual(["x 1", "x 2", "x 3"]);
  });

  test("resets the retries of a resumed node", async () => {
    const checkpointer = new MemorySaver();
    let calls = 0;
    const x = node(
      "x",
      ({ attempt }) => {
        if (++calls < 4) throw new Error("not yet");
        return logs(`attempt ${attempt}`);
      },
      { retry: { maxAttempts: 2, backoffMs: 0 } },
    );
    const compiled = graph(TestState).start(x).end().compile({ checkpointer });
    expect((await compiled.run({}, { runId: "r" })).status).toBe("failed");
    expect((await compiled.resume("r")).state.log).toEqual(["attempt 4"]);
  });

  test("retakes a decision that failed, and keeps all others", async () => {
    const checkpointer = new MemorySaver();
    const asked: string[] = [];
    let isBroken = true;
    const ask = (name: string, answer: () => boolean) => (): boolean => {
      asked.push(name);
      return answer();
    };
    const broken = (): boolean => {
      if (isBroken) throw new Error("condition is broken");
      return true;
    };
    const branch = (name: string, answer: () => boolean) =>
      graph(TestState)
        .if(ask(name, answer))
        .then(node(`${name}-yes`))
        .else()
        .then(node(`${name}-no`))
        .endif();
    const compiled = graph(TestState)
      .start(node("a"))
      .parallel([branch("first", () => true), branch("second", broken), branch("third", () => false)])
      .end()
      .compile({ checkpointer });
    expect((await compiled.run({}, { runId: "r" })).errorInfo?.message).toBe("condition is broken");
    expect((await compiled.resume("r")).errorInfo?.message).toBe("condition is broken");
    isBroken = false;
    const { status, state } = await compiled.resume("r");
    expect({ status, log: state.log }).toEqual({
      status: "completed",
      log: ["a", "first-yes", "second-yes", "third-no"],
    });
    expect(asked).toEqual(["first", "second", "third", "second", "second"]);
  });

  test("retries a join that failed", async () => {
    const checkpointer = new MemorySaver();
    let isBroken = true;
    const merge = (): Partial<TestState> => {
      if (isBroken) throw new Error("merge is broken");
      return { value: "merged" };
    };
    for (const strategy of ["all", "race", "any", "settled"] as const) {
      isBroken = true;
      const compiled = graph(TestState)
        .parallel([node("a"), node("b")], { merge, strategy })
        .then(node("c"))
        .end()
        .compile({ checkpointer, maxConcurrency: 1 });
      expect((await compiled.run({}, { runId: strategy })).errorInfo?.message).toBe("merge is broken");
      expect((await compiled.resume(strategy)).errorInfo?.message).toBe("merge is broken");
      isBroken = false;
      const { status, state } = await compiled.resume(strategy);
      expect({ strategy, status, value: state.value, log: state.log }).toEqual({
        strategy,
        status: "completed",
        value: "merged",
        log: ["c"],
      });
    }
  });

  test("has its errors", async () => {
    const checkpointer = new MemorySaver();
    const compiled = two().compile({ checkpointer });
    await compiled.run({}, { runId: "done" });
    expect(await rejectionOf(compiled.resume("done"))).toEqual(new RunFinishedError("done"));
    expect(await rejectionOf(compiled.resume("nobody"))).toEqual(new UnknownRunError("nobody"));
    const withoutSaver = new UnknownRunError("done", { hasSaver: false });
    expect(await rejectionOf(two().compile().resume("done"))).toEqual(withoutSaver);
    expect(new RunFinishedError("r").message).toBe(
      'The run "r" is completed; there is nothing left to do. Start a new run.',
    );
    expect(new UnknownRunError("r").message).toBe('There is no run "r". List the runs with: atomic runs list');
  });

  test("rejects a run that is in progress, and leaves it alone", async () => {
    const slow = controlled("slow");
    const compiled = graph(TestState).start(slow.node).end().compile({ checkpointer: new MemorySaver() });
    const ended = compiled.run({}, { runId: "r" });
    await slow.started;
    expect(await rejectionOf(compiled.resume("r"))).toEqual(new RunLockedError("r", "another part of this process"));
    expect(new RunLockedError("r", "host:1").message).toBe(
      'The run "r" is being executed by host:1. Wait for it to end or cancel it, then try again.',
    );
    slow.finish();
    expect((await ended).status).toBe("completed");
  });

  test.each([undefined, 1])(
    "rejects a changed graph and lists the differences (snapshotMinLength: %p)",
    async (snapshotMinLength) => {
      const checkpointer = new MemorySaver();
      const options = snapshotMinLength === undefined ? { checkpointer } : { checkpointer, snapshotMinLength };
      const before = graph(TestState)
        .start([node("a"), node("b"), failing("x")])
        .end()
        .compile(options);
      await before.run({}, { runId: "r" });
      const resumeWith = (ids: readonly string[]) =>
        rejectionOf(
          graph(TestState)
            .start(ids.map((id) => node(id)))
            .end()
            .compile(options)
            .resume("r"),
        );
      const replaced = await resumeWith(["a", "c", "x"]);
      expect(replaced).toBeInstanceOf(GraphChangedError);
      expect(replaced).toMatchObject({ differences: ['the node "b" is gone', 'the node "c" is new'] });
      const moved = await resumeWith(["b", "a", "x"]);
      expect(moved.message).toBe(
        [
          'The run "r" was started with another version of its graph:',
          "  - the nodes are the same, but their order or the blocks around them changed",
          "Restore that version, or start a new run.",
        ].join("\n"),
      );
    },
  );
});

describe("execute()", () => {
  test("returns the final state", async () => {
    expect(fieldsOf(await two().compile().execute())).toEqual({ ...EMPTY, log: ["a", "b"] });
  });

  test("throws the error of the run", async () => {
    const failure = new TypeError("x");
    const x = node("x", () => {
      throw failure;
    });
    expect(await rejectionOf(graph(TestState).start(x).end().compile().execute())).toBe(failure);
  });

  test("throws when the run waits for people", async () => {
    const compiled = graph(TestState).wait().end().compile({ checkpointer: new MemorySaver() });
    expect(await rejectionOf(compiled.execute({}, { runId: "r" }))).toEqual(new RunSuspendedError("r", ["wait_1"]));
    expect(new RunSuspendedError("r", ["a", "b"]).message).toBe(
      'The run "r" waits for a person (a, b). Use run() and resume() for graphs that ask.',
    );
  });

  test("throws the reason of the signal that cancels it", async () => {
    const slow = controlled("slow");
    const stop = new AbortController();
    const ended = rejectionOf(graph(TestState).start(slow.node).end().compile().execute({}, { signal: stop.signal }));
    await slow.started;
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await ended).toBe(reason);
  });
});

describe("cancelling", () => {
  test("before the start runs nothing, and the run can be resumed", async () => {
    const checkpointer = new MemorySaver();
    const ran: string[] = [];
    const a = node("a", () => {
      ran.push("a");
      return logs("a");
    });
    const compiled = graph(TestState).start(a).end().compile({ checkpointer });
    const types: string[] = [];
    const options = {
      runId: "r",
      signal: AbortSignal.abort(),
      onEvent: ({ type }: { type: string }) => types.push(type),
    };
    const { status } = await compiled.run({}, options);
    expect({ status, ran, types }).toEqual({
      status: "cancelled",
      ran: [],
      types: ["run-start", "checkpoint", "checkpoint", "run-end"],
    });
    expect((await compiled.resume("r")).state.log).toEqual(["a"]);
  });

  test("during a node aborts it with the signal's reason; it runs again on resume", async () => {
    const checkpointer = new MemorySaver();
    const slow = controlled("slow");
    const stop = new AbortController();
    const build = (step: ReturnType<typeof node>) =>
      graph(TestState)
        .start([node("a"), step, node("b")])
        .end()
        .compile({ checkpointer });
    const ended = build(slow.node).run({}, { runId: "r", signal: stop.signal });
    await slow.started;
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await slow.aborted).toBe(reason);
    const { status, error, requests } = await ended;
    expect({ status, error, requests }).toEqual({ status: "cancelled", error: undefined, requests: [] });
    const resumed = await build(node("slow", ({ attempt }) => logs(`attempt ${attempt}`))).resume("r");
    expect(resumed.state.log).toEqual(["a", "attempt 2", "b"]);
    expect((await recordsOf(checkpointer, "r")).map(({ type }) => type)).toEqual([
      "run",
      "done",
      "end",
      "resumed",
      "done",
      "done",
      "end",
    ]);
  });

  test("during a back-off ends it at once; the pause continues when resumed", async () => {
    const checkpointer = new MemorySaver();
    const stop = new AbortController();
    let isBroken = true;
    const x = node(
      "x",
      ({ attempt }) => {
        if (isBroken) throw new Error("x");
        return logs(`attempt ${attempt}`);
      },
      { retry: { maxAttempts: 2, backoffMs: 60_000, maxBackoffMs: 60_000, jitter: 0 } },
    );
    const compiled = graph(TestState).start(x).end().compile({ checkpointer });
    const onEvent = ({ type }: { type: string }): void => {
      if (type === "checkpoint" && isBroken) setImmediate(() => stop.abort());
    };
    expect((await compiled.run({}, { runId: "r", signal: stop.signal, onEvent, now: () => 0 })).status).toBe(
      "cancelled",
    );
    isBroken = false;
    const early = AbortSignal.timeout(20);
    expect((await compiled.resume("r", {}, { signal: early, now: () => 59_000 })).status).toBe("cancelled");
    expect((await compiled.resume("r", {}, { now: () => 60_000 })).state.log).toEqual(["attempt 3"]);
  });

  test("keeps a queued node from starting", async () => {
    const checkpointer = new MemorySaver();
    const [first, second] = [controlled("first"), node("second")];
    const stop = new AbortController();
    const compiled = graph(TestState).parallel([first.node, second]).end().compile({ checkpointer, maxConcurrency: 1 });
    const started: string[] = [];
    const onEvent = (event: { type: string; nodeId?: string }): void => {
      if (event.type === "node-start") started.push(event.nodeId ?? "");
    };
    const ended = compiled.run({}, { runId: "r", signal: stop.signal, onEvent });
    await first.started;
    stop.abort();
    expect((await ended).status).toBe("cancelled");
    expect(started).toEqual(["first"]);
  });

  test("a finished run changes nothing", async () => {
    const stop = new AbortController();
    const { status } = await two().compile().run({}, { signal: stop.signal });
    stop.abort();
    expect(status).toBe("completed");
  });
});
