import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { NodeTimeoutError, RunLockedError } from "../errors/errors.ts";
import { start, whenEvent } from "../fixtures/steered-run.ts";
import { controlled, failing, logs, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import type { Checkpointer } from "../model/checkpointer.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { RunControl } from "../steering/run-control.ts";

test("a branch of a goto that has ended is read back from a snapshot, whatever comes after it", async () => {
  const checkpointer = new MemorySaver();
  let isRepaired = false;
  const b = node("b", () => {
    if (!isRepaired) throw new Error("b broke");
    return logs("b");
  });
  const compiled = graph(TestState)
    .start(node("go", () => ({ goto: ["a", "b"] })))
    .then([node("a"), node("mid"), b, node("end")])
    .end()
    .compile({ checkpointer, snapshotMinLength: 0 });
  expect((await compiled.run({}, { runId: "r" })).errorInfo?.message).toBe("b broke");
  await compiled.compact("r");
  isRepaired = true;
  const { status, state } = await compiled.resume("r");
  expect([status, state.log]).toEqual(["completed", ["a", "b", "end"]]);
});

test("a question without an automatic answer is not answered by the timer of the previous one", async () => {
  let asked = 0;
  const x: NodeDefinition<TestState> = {
    id: "x",
    type: "wait",
    execute: () => ({
      request: { question: "Go on?", ...(++asked === 1 ? { autoApprove: { afterMs: 20, value: "by itself" } } : {}) },
    }),
    applyAnswer: (answer) => logs(String(answer)).stateUpdate,
  };
  // Fails at once and runs again when the first question times out: its second attempt starts after that timer.
  const sibling = node(
    "sibling",
    ({ attempt }) => {
      if (attempt === 1) throw new Error("not yet");
      return logs("sibling");
    },
    { retry: { maxAttempts: 2, backoffMs: 200, jitter: 0 } },
  );
  const compiled = graph(TestState).parallel([x, sibling]).end().compile();
  const control = new RunControl();
  const events: RunEvent[] = [];
  const running = compiled.run(
    {},
    { checkpointer: new MemorySaver(), control, onEvent: (event) => events.push(event) },
  );
  await whenEvent(events, "request");
  await control.retryNode("x");
  const { status, requests } = await running;
  expect([asked, status, requests.length]).toEqual([2, "suspended", 1]);
});

test("a run that another process took over ends with that error, which is not a failure of its node", async () => {
  const saver = new MemorySaver();
  const lost = new RunLockedError("r", "another process");
  const taken: Checkpointer = Object.assign(Object.create(saver), {
    mailbox: saver.mailbox,
    async open(runId: string, mode: "create" | "resume") {
      const journal = await saver.open(runId, mode);
      let count = 0;
      return {
        ...journal,
        append: (entry: Parameters<typeof journal.append>[0]) => {
          if (++count > 1) throw lost;
          return journal.append(entry);
        },
      };
    },
  });
  const events: RunEvent[] = [];
  const compiled = graph(TestState)
    .start(node("a", undefined, { retry: { maxAttempts: 3 } }))
    .end()
    .compile();
  const running = compiled.run({}, { runId: "r", checkpointer: taken, onEvent: (event) => events.push(event) });
  expect(await rejectionOf(running)).toBe(lost);
  expect(events.map(({ type }) => type)).not.toContain("node-error");
});

describe("a fork of a run whose branches are in progress", () => {
  test("restarts pausing nodes at once, as a first attempt, and is independent of its origin", async () => {
    const checkpointer = new MemorySaver();
    let isLater = false;
    const seen: unknown[] = [];
    const x = node(
      "x",
      ({ attempt, runId, state }) => {
        if (!isLater) throw new Error("not yet");
        seen.push([attempt, runId, state.executionId]);
        return logs("x");
      },
      { retry: { maxAttempts: 2, backoffMs: 3_600_000, jitter: 0 } },
    );
    const gate = waitNode<TestState>({ id: "gate", inputMapper: () => ({}) });
    const inner = graph(TestState).start(node("in")).then(gate).end().compile();
    const compiled = graph(TestState)
      .parallel([[node("first"), x], [subgraphNode<TestState, TestState>({ id: "sub", subgraph: inner })]])
      .end()
      .compile({ checkpointer });
    const stop = new AbortController();
    const events: RunEvent[] = [];
    const running = compiled.run({}, { runId: "old", signal: stop.signal, onEvent: (event) => events.push(event) });
    await whenEvent(events, "node-error");
    stop.abort();
    await running;
    isLater = true;
    const last = (await compiled.history("old")).at(-1)?.sequence ?? 0;
    const forked = await compiled.fork("old", { at: last }, { runId: "new" });
    expect([forked.status, seen]).toEqual(["suspended", [[1, "new", "new"]]]);
  });
});

test("settings of a run override those of its graph, under either name, and undefined counts as missing", async () => {
  const slow = node(
    "slow",
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const compiled = graph(TestState).start(slow).end().compile({ timeoutMs: 60_000, maxConcurrency: 1 });
  // A program without exactOptionalPropertyTypes may write this.
  const options = { timeout: 10, maxConcurrency: undefined } as unknown as { timeout: number };
  const { errorInfo } = await compiled.run({}, options);
  expect(errorInfo?.code).toBe("RUN_LIMIT");
  expect(errorInfo?.message).not.toBe(new NodeTimeoutError("slow", 60_000).message);
});

test("a loop in a subgraph keeps no list of what its branches have changed", async () => {
  const checkpointer = new MemorySaver();
  const inner = graph(TestState)
    .loop(graph(TestState).parallel([node("a"), node("b")]), { maxIterations: 200 })
    .then(failing("stop"))
    .end()
    .compile();
  const sizeOf = async (compiled: typeof inner) => {
    await compiled.run({}, { runId: "r", checkpointer });
    await compiled.compact("r", { checkpointer });
    const size = (await checkpointer.read("r")).reduce((total, { body }) => total + body.length, 0);
    await checkpointer.delete("r");
    return size;
  };
  const outer = graph(TestState)
    .start(subgraphNode<TestState, TestState>({ id: "sub", subgraph: inner }))
    .end()
    .compile();
  expect((await sizeOf(outer)) / (await sizeOf(inner))).toBeLessThan(1.5);
});

describe("commands that cannot take effect", () => {
  test("are rejected together when they target the same visit, and nothing is journaled", async () => {
    const run = start(failing("x"));
    await run.running;
    const before = await run.checkpointer.read("r");
    const skip = { type: "skip-node", node: "x" } as const;
    await expect(
      run.compiled.resume("r", {}, { checkpointer: run.checkpointer, commands: [skip, skip] }),
    ).rejects.toThrow('The command for "x" did not take effect: there was another command or answer for it.');
    expect(await run.checkpointer.read("r")).toEqual(before);
  });

  test("are rejected when they were left for an earlier process", async () => {
    const run = start(failing("x"));
    await run.running;
    const { checkpointer } = run;
    const id = await checkpointer.mailbox.post("r", '{"type":"skip-node","node":"x"}');
    const again = controlled("x");
    const repaired = graph(TestState).start(node("before")).then(again.node).then(node("after")).end().compile();
    const resumed = repaired.resume("r", {}, { checkpointer });
    await again.started;
    let reply: string | undefined;
    while (reply === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      reply = await checkpointer.mailbox.takeReply("r", id);
    }
    expect(JSON.parse(reply)).toMatchObject({ type: "refused", code: "RUN_NOT_EXECUTED" });
    again.finish(logs("x itself"));
    expect((await resumed).state.log).toEqual(["before", "x itself", "after"]);
  });

  test("are rejected as soon as their branch is no longer needed", async () => {
    const [x, y] = [controlled("x"), controlled("y")];
    const release = Promise.withResolvers<void>();
    const stubborn = node("x", async (context) => {
      void x.node.execute(context);
      await release.promise;
      return logs("x");
    });
    const compiled = graph(TestState)
      .parallel([stubborn, y.node], { strategy: "race" })
      .then(node("after", () => release.promise.then(() => logs("after"))))
      .end()
      .compile();
    const control = new RunControl();
    const running = compiled.run({}, { control });
    await y.started;
    const skipping = rejectionOf(control.skipNode("x"));
    await x.aborted;
    y.finish(logs("y"));
    expect((await skipping).message).toBe(
      'The node "parallel_1[x]/x" ended before the command took effect. Nothing was changed.',
    );
    release.resolve();
    expect((await running).state.log).toEqual(["y", "after"]);
  });
});

test.each<{ readonly title: string; readonly thrown: unknown; readonly message: string }>([
  {
    title: "an object that cannot become a text",
    thrown: Object.create(null),
    message: "threw an object without fields",
  },
  { title: "nothing", thrown: undefined, message: "threw undefined" },
  { title: "an object", thrown: { code: 7, why: "obj" }, message: '{"code":7,"why":"obj"}' },
  {
    title: "an error with a cause",
    thrown: new Error("outer", { cause: new Error("inner reason") }),
    message: "outer\nCaused by: inner reason",
  },
])("a node that throws $title fails, at once and after a wait", async ({ thrown, message }) => {
  const fail = (): never => {
    throw thrown;
  };
  for (const execute of [fail, async () => fail()]) {
    const checkpointer = new MemorySaver();
    const result = await graph(TestState)
      .start(node("a", execute))
      .end()
      .compile({ checkpointer })
      .run({}, { runId: "r" });
    expect([result.status, result.errorInfo?.nodeId, result.errorInfo?.message]).toEqual(["failed", "a", message]);
  }
});
