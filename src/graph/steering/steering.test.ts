import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { UnfitUpdateError } from "../errors/unfit-update-error.ts";
import { UnknownStateFieldError } from "../errors/update-errors.ts";
import { outcomeOf, start, startGraph, whenEvent } from "../fixtures/steered-run.ts";
import { controlled, failing, logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, type StateOf } from "../state/annotation.ts";
import { RunControl } from "./run-control.ts";
import { NodeCancelledError, NodeEndedError, NodeRestartedError, NodeSkippedError } from "./steering-errors.ts";

/** A node whose first attempt fails, and whose second would come only in an hour. */
const pausing = failing("x", "try later", { retry: { maxAttempts: 9, backoffMs: 3_600_000, jitter: 0 } });

describe("skipping a node", () => {
  test("aborts its running code, and continues with the given update", async () => {
    const x = controlled("x");
    const run = start(x.node);
    await x.started;
    await run.control.skipNode("x", { log: ["skipped x"] });
    expect(await x.aborted).toEqual(new NodeSkippedError("x"));
    expect(await outcomeOf(run)).toEqual({
      status: "completed",
      log: ["before", "skipped x", "after"],
      code: undefined,
    });
    expect((await recordsOf(run.checkpointer, "r"))[2]).toMatchObject({
      type: "done",
      task: "x",
      update: { log: ["skipped x"] },
      isSkipped: true,
    });
    expect(run.events).toContainEqual(expect.objectContaining({ type: "node-end", nodeId: "x", isSkipped: true }));
    const { nodes } = await readRunSummary(run.checkpointer, "r");
    expect(nodes.map(({ taskId, status }) => [taskId, status])).toEqual([
      ["before", "completed"],
      ["x", "skipped"],
      ["after", "completed"],
    ]);
  });

  test("that runs takes effect even if the node ends normally in the meantime", async () => {
    const x = controlled("x");
    const run = start(
      node("x", ({ signal }) => {
        const end = Promise.withResolvers<ReturnType<typeof logs>>();
        signal.addEventListener("abort", () => end.resolve(logs("x itself")));
        x.node.execute({ signal } as never);
        return end.promise;
      }),
    );
    await x.started;
    await run.control.skipNode("x");
    expect((await outcomeOf(run)).log).toEqual(["before", "after"]);
  });

  test("that waits for its next attempt continues at once", async () => {
    const run = start(pausing);
    await whenEvent(run.events, "node-error");
    await run.control.skipNode("x", { log: ["skipped"] });
    expect((await outcomeOf(run)).log).toEqual(["before", "skipped", "after"]);
  });

  test("that waits for a person withdraws its question", async () => {
    const x = waitNode<TestState>({ id: "x", autoApprove: { afterMs: 600_000 } });
    const run = start(x);
    await whenEvent(run.events, "request");
    await run.control.skipNode("x", { log: ["nobody asked"] });
    const { requests } = await run.running;
    expect(requests).toEqual([]);
    expect((await outcomeOf(run)).log).toEqual(["before", "nobody asked", "after"]);
    expect((await readRunSummary(run.checkpointer, "r")).requests).toEqual([]);
  });

  test("with an update that the state rejects changes nothing", async () => {
    const x = controlled("x");
    const run = start(x.node);
    const { signal } = await x.started;
    expect(await rejectionOf(run.control.skipNode("x", { lgo: [] }))).toEqual(
      new UnknownStateFieldError("lgo", ["outputs", "log", "total", "value", "isDone"]),
    );
    expect(signal.aborted).toBe(false);
    x.finish(logs("x"));
    expect((await outcomeOf(run)).log).toEqual(["before", "x", "after"]);
  });

  describe("with an update that a reducer rejects", () => {
    const unfit = { log: 5 } as never;
    const refusal =
      /^The update of "log" does not fit this field, and nothing was changed: .+ Give a value of the field's own type\.$/;

    test("leaves the node running, and the run with it", async () => {
      const x = controlled("x");
      const run = start(x.node);
      const { signal } = await x.started;
      const error = await rejectionOf(run.control.skipNode("x", unfit));
      expect([error.message, (error as UnfitUpdateError).code]).toEqual([
        expect.stringMatching(refusal),
        "STATE_UNFIT_UPDATE",
      ]);
      expect(signal.aborted).toBe(false);
      x.finish(logs("x"));
      expect((await outcomeOf(run)).log).toEqual(["before", "x", "after"]);
    });

    test("leaves the node waiting for its next attempt", async () => {
      const run = start(pausing);
      await whenEvent(run.events, "node-error");
      expect(await rejectionOf(run.control.skipNode("x", unfit))).toBeInstanceOf(UnfitUpdateError);
      await run.control.skipNode("x", { log: ["skipped"] });
      expect((await outcomeOf(run)).log).toEqual(["before", "skipped", "after"]);
    });

    test("leaves the journal alone when a run is resumed with it", async () => {
      const run = start(waitNode<TestState>({ id: "x" }));
      await run.running;
      const { compiled, checkpointer } = run;
      const before = await checkpointer.read("r");
      const commands = [{ type: "skip-node", node: "x", update: unfit }] as const;
      expect(await rejectionOf(compiled.resume("r", {}, { checkpointer, commands }))).toBeInstanceOf(UnfitUpdateError);
      expect(await checkpointer.read("r")).toEqual(before);
    });

    test("only once the node has stopped fails the node, and the run has an end", async () => {
      let isFull = false;
      const State = defineState({
        log: annotation<string[]>([], (old, more) => {
          if (isFull) throw new Error("full");
          return [...old, ...more];
        }),
      });
      const x = controlled("x");
      const compiled = graph(State)
        .start(x.node as unknown as NodeDefinition<StateOf<typeof State>>)
        .end()
        .compile();
      const checkpointer = new MemorySaver();
      const control = new RunControl();
      const running = compiled.run({}, { runId: "r", checkpointer, control });
      const { signal } = await x.started;
      signal.addEventListener("abort", () => {
        isFull = true;
      });
      const error = await rejectionOf(control.skipNode("x", { log: ["skipped"] }));
      const { status, errorInfo } = await running;
      const text =
        'The update of "log" from "x" does not fit this field, and nothing was changed: its reducer was given ["skipped"], and threw: full. Give a value of the field\'s own type.';
      expect([error.message, status, errorInfo?.message, errorInfo?.nodeId]).toEqual([text, "failed", text, "x"]);
      expect((await recordsOf(checkpointer, "r")).map(({ type }) => type)).toEqual(["run", "end"]);
    });
  });
});

describe("cancelling a node", () => {
  test("that runs fails it without another attempt, and a resumed run restarts it", async () => {
    const x = controlled("x", { retry: { maxAttempts: 9, backoffMs: 0 } });
    const run = start(x.node);
    await x.started;
    await run.control.cancelNode("x");
    expect(await x.aborted).toEqual(new NodeCancelledError("x"));
    const { compiled, checkpointer } = run;
    expect(await outcomeOf(run)).toEqual({ status: "failed", log: ["before"], code: "NODE_CANCELLED" });
    const again = graph(TestState).start(node("before")).then(node("x")).then(node("after")).end().compile();
    const resumed = await again.resume("r", {}, { checkpointer });
    expect([resumed.status, resumed.state.log]).toEqual(["completed", ["before", "x", "after"]]);
    expect(compiled.code.program.fingerprint).toBe(again.code.program.fingerprint);
  });

  test("is a failure that a catch handles", async () => {
    const x = controlled("x");
    const compiled = graph(TestState)
      .start(x.node)
      .catch((error) => logs(error.message))
      .then(node("after"))
      .end()
      .compile();
    const run = startGraph(compiled);
    await x.started;
    await run.control.cancelNode("x");
    expect((await outcomeOf(run)).log).toEqual(['The node "x" was cancelled.', "after"]);
  });

  test("that ends normally first reports that, and the result is kept", async () => {
    const begun = Promise.withResolvers<void>();
    const run = start(
      node("x", ({ signal }) => {
        begun.resolve();
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(logs("x did it"))));
      }),
    );
    await begun.promise;
    expect(await rejectionOf(run.control.cancelNode("x"))).toEqual(new NodeEndedError("x"));
    expect((await outcomeOf(run)).log).toEqual(["before", "x did it", "after"]);
  });

  test("that waits for its next attempt ends the wait", async () => {
    const run = start(pausing);
    await whenEvent(run.events, "node-error");
    await run.control.cancelNode("x");
    expect(await outcomeOf(run)).toEqual({ status: "failed", log: ["before"], code: "NODE_CANCELLED" });
  });

  test("of one branch leaves the others alone", async () => {
    const [x, y] = [controlled("x"), controlled("y")];
    const compiled = graph(TestState).parallel([x.node, y.node], { strategy: "settled" }).end().compile();
    const run = startGraph(compiled);
    await x.started;
    await run.control.cancelNode("x");
    y.finish(logs("y"));
    expect(await outcomeOf(run)).toEqual({ status: "completed", log: ["y"], code: undefined });
  });
});

describe("restarting a node", () => {
  /** Stops when it is aborted, and counts how many of its attempts run at once. */
  function restartable() {
    const attempts: number[] = [];
    const starts: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
    let runningCount = 0;
    let mostAtOnce = 0;
    const x = node("x", async ({ signal, attempt, emit }) => {
      attempts.push(attempt);
      mostAtOnce = Math.max(mostAtOnce, ++runningCount);
      emit({ type: "usage", usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 } });
      starts[attempts.length - 1]?.resolve();
      if (attempts.length === 1) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => setImmediate(resolve)));
      }
      runningCount--;
      if (attempts.length === 1) throw signal.reason;
      return logs(`attempt ${attempt}`);
    });
    return { x, attempts, starts, mostAtOnce: () => mostAtOnce };
  }

  test("that runs waits for its code to end, and counts its usage", async () => {
    const { x, attempts, starts, mostAtOnce } = restartable();
    const run = start(x);
    await starts[0]?.promise;
    await run.control.retryNode("x");
    const { usage } = await run.running;
    expect(await outcomeOf(run)).toEqual({
      status: "completed",
      log: ["before", "attempt 2", "after"],
      code: undefined,
    });
    expect({ attempts, mostAtOnce: mostAtOnce(), usage }).toEqual({
      attempts: [1, 2],
      mostAtOnce: 1,
      usage: { inputTokens: 20, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 },
    });
    expect(run.events).toContainEqual(
      expect.objectContaining({
        type: "node-error",
        nodeId: "x",
        attempt: 1,
        error: { code: "NODE_RESTARTED", message: new NodeRestartedError("x").message, nodeId: "x" },
      }),
    );
  });

  test("that waits for its next attempt starts that one at once", async () => {
    let failures = 0;
    const x = node(
      "x",
      ({ attempt }) => {
        if (failures++ === 0) throw new Error("try later");
        return logs(`attempt ${attempt}`);
      },
      { retry: { maxAttempts: 2, backoffMs: 3_600_000, jitter: 0 } },
    );
    const run = start(x);
    await whenEvent(run.events, "node-error");
    await run.control.retryNode("x");
    expect((await outcomeOf(run)).log).toEqual(["before", "attempt 2", "after"]);
  });

  test("resets its attempts", async () => {
    let count = 0;
    const x = node(
      "x",
      ({ attempt }) => {
        if (++count === 1) throw Object.assign(new Error("overloaded"), { retryAfterMs: 3_600_000 });
        if (count < 4) throw new Error(`failure ${count}`);
        return logs(`attempt ${attempt}`);
      },
      { retry: { maxAttempts: 3, backoffMs: 0 } },
    );
    const run = start(x);
    await whenEvent(run.events, "node-error");
    await run.control.retryNode("x");
    expect((await outcomeOf(run)).log).toEqual(["before", "attempt 4", "after"]);
  });

  test("that waits for a person asks again", async () => {
    let asked = 0;
    const x: NodeDefinition<TestState> = {
      id: "x",
      type: "wait",
      execute: () => ({ request: { question: `Question ${++asked}?`, autoApprove: { afterMs: 600_000 } } }),
      applyAnswer: () => ({ log: ["answered"] }),
    };
    const stop = new AbortController();
    const run = start(x, { signal: stop.signal });
    await whenEvent(run.events, "request");
    await run.control.retryNode("x");
    while (asked < 2) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    const { requests } = await run.running;
    expect(requests.map(({ question }) => question)).toEqual(["Question 2?"]);
    const resumed = await run.compiled.resume("r", { x: "yes" }, { checkpointer: run.checkpointer });
    expect([resumed.status, resumed.state.log]).toEqual(["completed", ["before", "answered", "after"]]);
  });
});

test.each(["skipNode", "cancelNode", "retryNode"] as const)(
  "%s abandons code that does not stop in time",
  async (command) => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let attempts = 0;
    const x = node("x", async ({ attempt }) => {
      if (++attempts > 1) return logs(`attempt ${attempt}`);
      begun.resolve();
      await release.promise;
      return logs("too late");
    });
    const run = start(x, { cancelGraceMs: 5 });
    await begun.promise;
    await run.control[command]("x");
    const { status, log, code } = await outcomeOf(run);
    release.resolve();
    const expected = {
      skipNode: ["completed", ["before", "after"], undefined],
      cancelNode: ["failed", ["before"], "NODE_CANCELLED"],
      retryNode: ["completed", ["before", "attempt 2", "after"], undefined],
    };
    expect<unknown[]>([status, log, code]).toEqual(expected[command]);
  },
);
