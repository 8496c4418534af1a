import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { RestoredError } from "../errors/errors.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { failing, logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import type { ExecutionContext } from "../model/execution-context.ts";
import { InvalidOptionsError } from "../options/check-call.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

describe("a node's context", () => {
  test("identifies the visit, the node and the run", async () => {
    const seen: unknown[] = [];
    const see = node("see", ({ runId, nodeId, taskId, attempt, services, feedback, error, errors }) => {
      seen.push({ runId, nodeId, taskId, attempt, services, feedback, error, errors });
      return;
    });
    const services = { workingDirectory: "/work" };
    const branch = graph(TestState).loop(see, { maxIterations: 2 });
    const inner = graph(TestState).parallel([branch], { names: ["deep"], id: "p" });
    const compiled = graph(TestState)
      .loop(graph(TestState).parallel([inner], { names: ["wide"], id: "o" }), { maxIterations: 2 })
      .end()
      .compile();
    await compiled.execute({}, { runId: "r", services });
    const same = { runId: "r", nodeId: "see", attempt: 1, services, feedback: undefined, error: undefined, errors: [] };
    expect(seen).toEqual([
      { ...same, taskId: "o[wide]/p[deep]/see" },
      { ...same, taskId: "o[wide]/p[deep]/see#2" },
      { ...same, taskId: "o#2[wide]/p[deep]/see" },
      { ...same, taskId: "o#2[wide]/p[deep]/see#2" },
    ]);
  });

  test.each([
    { title: "the node's model", nodeModel: "node", defaultModel: "run", expected: "node" },
    { title: "the run's default", nodeModel: undefined, defaultModel: "run", expected: "run" },
    { title: "none", nodeModel: undefined, defaultModel: undefined, expected: undefined },
  ])("names $title", async ({ nodeModel, defaultModel, expected }) => {
    const x = node("x", ({ model }) => logs(String(model)), nodeModel === undefined ? {} : { model: nodeModel });
    const compiled = graph(TestState).start(x).end().compile();
    expect((await compiled.execute({}, defaultModel === undefined ? {} : { defaultModel })).log).toEqual([
      String(expected),
    ]);
  });

  test("has the last known usage of an agent's context window", async () => {
    const look = node("look", ({ emit, contextWindowUsage }) => {
      emit({ type: "context-window", fraction: 0.4, action: "none" });
      emit({ type: "context-window", action: "summarize" });
      return logs(`before ${contextWindowUsage}`);
    });
    const then = node("then", ({ contextWindowUsage }) => logs(`behind ${contextWindowUsage}`));
    const compiled = graph(TestState).start(look).then(then).end().compile();
    expect((await compiled.execute()).log).toEqual(["before undefined", "behind 0.4"]);
    expect([...compiled.nodes.keys()]).toEqual(["look", "then"]);
  });

  test("has one signal under two names, which is aborted even if first read after the abort", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const late = Promise.withResolvers<ExecutionContext<TestState>>();
    const x = node("x", async (context) => {
      stop.abort(reason);
      await new Promise((resolve) => setImmediate(resolve));
      late.resolve(context);
      return;
    });
    await graph(TestState).start(x).end().compile().run({}, { signal: stop.signal });
    const { signal, abortSignal } = await late.promise;
    expect(abortSignal).toBe(signal);
    expect(signal.reason).toBe(reason);
  });

  test("passes a handler the error itself, and after a restart one with the same code and message", async () => {
    const checkpointer = new MemorySaver();
    const stop = new AbortController();
    const errors: (Error | undefined)[] = [];
    const handler = node("handler", (context) => {
      errors.push(context.error, ...context.errors.map(({ error }) => error));
      if (errors.length === 2) stop.abort();
      expect(context.errors).toMatchObject([{ nodeId: "x", timestamp: new Date(5), attempt: 1 }]);
      return context.attempt === 1 ? new Promise(() => undefined) : logs("handled");
    });
    const compiled = graph(TestState)
      .start(failing("x"))
      .catch(handler)
      .end()
      .compile({ checkpointer, cancelGraceMs: 0 });
    await compiled.run({}, { runId: "r", signal: stop.signal, now: () => 5 });
    expect((await compiled.resume("r", {}, { now: () => 9 })).state.log).toEqual(["handled"]);
    const live = new Error("x failed");
    const restored = new RestoredError("NODE_FAILED", "x failed");
    expect(errors).toEqual([live, live, restored, restored]);
  });

  test("remembers only the last hundred handled failures", async () => {
    const bodies = graph(TestState)
      .start(failing("x"))
      .catch(({ message }) => logs(message));
    const count = node("count", ({ errors }) => logs(String(errors.length)));
    const compiled = graph(TestState).loop(bodies, { maxIterations: 120 }).then(count).end().compile();
    expect((await compiled.execute()).log.at(-1)).toBe("100");
  });
});

describe("ctx.step", () => {
  test("runs an action once per visit, across retries and restarts", async () => {
    const checkpointer = new MemorySaver();
    const done: string[] = [];
    const stop = new AbortController();
    const x = node(
      "x",
      async ({ step, recall, attempt }) => {
        const before = recall("first");
        const first = await step("first", () => {
          done.push("first");
          return { when: new Date(7), nothing: undefined };
        });
        if (attempt === 1) throw new Error("x");
        const second = await step("second", async () => {
          done.push("second");
          return;
        });
        if (attempt === 2) {
          stop.abort();
          return await new Promise(() => undefined);
        }
        expect({ before, first, second }).toEqual({
          before: first,
          first: { when: new Date(7), nothing: undefined },
          second: undefined,
        });
        return logs(`attempt ${attempt}`);
      },
      { retry: { maxAttempts: 2, backoffMs: 0 } },
    );
    const compiled = graph(TestState).start(x).end().compile({ checkpointer, cancelGraceMs: 0 });
    expect((await compiled.run({}, { runId: "r", signal: stop.signal })).status).toBe("cancelled");
    expect((await compiled.resume("r")).state.log).toEqual(["attempt 3"]);
    expect(done).toEqual(["first", "second"]);
    expect((await recordsOf(checkpointer, "r")).map(({ type }) => type)).toEqual([
      "run",
      "step",
      "retry",
      "step",
      "end",
      "resumed",
      "done",
      "end",
    ]);
  });

  test("works without a journal, too", async () => {
    let count = 0;
    const x = node(
      "x",
      async ({ step, attempt }) => {
        const value = await step("key", () => ++count);
        if (attempt === 1) throw new Error("x");
        return logs(String(value));
      },
      { retry: { maxAttempts: 2, backoffMs: 0 } },
    );
    expect((await graph(TestState).start(x).end().compile().execute()).log).toEqual(["1"]);
  });

  test("belongs to one visit: the next one runs the action again", async () => {
    let count = 0;
    const x = node("x", async ({ step }) => logs(String(await step("key", () => ++count))));
    const compiled = graph(TestState).loop(x, { maxIterations: 2 }).end().compile({ checkpointer: new MemorySaver() });
    expect((await compiled.execute()).log).toEqual(["1", "2"]);
  });

  test("keeps nothing of a failed action", async () => {
    let count = 0;
    const x = node(
      "x",
      async ({ step }) => {
        const value = await step("key", () => {
          if (++count === 1) throw new Error("first");
          return count;
        });
        return logs(String(value));
      },
      { retry: { maxAttempts: 2, backoffMs: 0 } },
    );
    expect((await graph(TestState).start(x).end().compile().execute()).log).toEqual(["2"]);
  });

  test("rejects a second step of the same name, also when the first is from an earlier attempt", async () => {
    const done: string[] = [];
    const x = node(
      "x",
      async ({ step, attempt }) => {
        await step("key", () => done.push("first"));
        if (attempt === 1) throw new Error("x");
        await step("key", () => done.push("second"));
        return;
      },
      { retry: { maxAttempts: 3, backoffMs: 0 } },
    );
    const { errorInfo } = await graph(TestState).start(x).end().compile().run();
    expect(done).toEqual(["first"]);
    expect(errorInfo).toMatchObject({
      code: "STEP_REPEATED",
      nodeId: "x",
      message:
        'The node "x" has finished its step "key" and begins another one of this name, which would only return the first result. Name each step of a visit differently, for example by its number in a loop.',
    });
  });

  test("repeats a failed action within the same attempt", async () => {
    let count = 0;
    const x = node("x", async ({ step }) => {
      const take = () =>
        step("key", () => {
          if (++count === 1) throw new Error("first");
          return count;
        });
      return logs(String(await take().catch(take)));
    });
    expect((await graph(TestState).start(x).end().compile().execute()).log).toEqual(["2"]);
  });

  test("is called with a name and a function", async () => {
    // The cast is a lie on purpose: files that are run directly are not type-checked.
    const x = node("x", async ({ step }) =>
      logs(await (step as unknown as (action: () => string) => Promise<string>)(() => "a")),
    );
    expect((await graph(TestState).start(x).end().compile().run()).error).toEqual(
      new InvalidOptionsError("step", [
        'the node "x" has to call it with a name and a function: step("fetch", () => …)',
      ]),
    );
  });

  test("rejects a result that cannot be kept, which fails the node", async () => {
    const x = node("x", async ({ step }) => {
      await step("key", () => ({ call: () => 1 }));
      return;
    });
    const compiled = graph(TestState).start(x).end().compile({ checkpointer: new MemorySaver() });
    expect((await compiled.run()).errorInfo).toMatchObject({ code: "STATE_UNSERIALIZABLE", nodeId: "x" });
  });

  test("keeps nothing of a dropped node, even while the record that drops it is being written", async () => {
    const checkpointer = new FaultySaver(new MemorySaver(), { isSlow: true });
    const rejections: Promise<Error>[] = [];
    const loser = node("loser", async ({ step }) => {
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      rejections.push(rejectionOf(step("key", () => 1)));
      return;
    });
    const compiled = graph(TestState)
      .parallel([loser, node("winner")], { strategy: "race" })
      .then(failing("x"))
      .end()
      .compile({ checkpointer });
    await compiled.run({}, { runId: "r" });
    expect(await Promise.all(rejections)).toEqual([
      new Error('The node "loser" is over: its step "key" was not kept. Await every step.'),
    ]);
    expect((await compiled.resume("r")).errorInfo?.message).toBe("x failed");
  });

  test("keeps nothing once its node is aborted", async () => {
    const checkpointer = new MemorySaver();
    const rejections: Promise<Error>[] = [];
    const loser = node("loser", async ({ step, signal }) => {
      const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
      const stepped = step("key", () => aborted);
      rejections.push(rejectionOf(stepped));
      await stepped;
      return;
    });
    const compiled = graph(TestState)
      .parallel([loser, node("winner")], { strategy: "race" })
      .then(node("a"))
      .end()
      .compile({ checkpointer });
    expect((await compiled.execute({}, { runId: "r" })).log).toEqual(["winner", "a"]);
    expect(await Promise.all(rejections)).toMatchObject([{ code: "BRANCH_DROPPED" }]);
    expect((await recordsOf(checkpointer, "r")).map(({ type }) => type)).toEqual(["run", "done", "done", "end"]);
  });
});

test("a node reads the settings of its run as ctx.config, and cannot change them", async () => {
  const seen: unknown[] = [];
  const budget = { maxTokens: 7 };
  const look = node("look", ({ config }) => {
    seen.push(config, Object.isFrozen(config), Object.isFrozen(config.budget), config.maxUpdateBytes);
    return logs("look");
  });
  const compiled = graph(TestState).start(look).end().compile({ name: "w", maxSteps: 5, timeout: 9_000 });
  await compiled.run({}, { maxSteps: 6, maxUpdateBytes: 99, budget, runId: "r", onEvent: () => undefined });
  expect(seen).toEqual([{ name: "w", maxSteps: 6, timeoutMs: 9_000, maxUpdateBytes: 99, budget }, true, true, 99]);
  expect(Object.isFrozen(budget)).toBe(false);
});
