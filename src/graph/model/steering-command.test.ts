import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { outcomeOf, start, startGraph, whenEvent } from "../fixtures/steered-run.ts";
import { controlled, failing, logs, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import { RunControl, type SteerableRun } from "../steering/run-control.ts";
import {
  AmbiguousNodeError,
  NodeEndedError,
  NodeNotUnderWayError,
  RunNotExecutedError,
} from "../steering/steering-errors.ts";

describe("a command", () => {
  const all = (control: SteerableRun, target: string) =>
    Promise.all([control.cancelNode(target), control.skipNode(target), control.retryNode(target)].map(rejectionOf));

  test("for a node that is not in progress is rejected with the list of those that are", async () => {
    const x = controlled("x");
    const run = start(x.node);
    await x.started;
    const refusal = new NodeNotUnderWayError("before", ["x"]);
    expect(refusal.message).toBe('The node "before" is not in progress, and has not failed. Unfinished: x.');
    expect(await all(run.control, "before")).toEqual([refusal, refusal, refusal]);
    x.finish(logs("x"));
    expect((await outcomeOf(run)).log).toEqual(["before", "x", "after"]);
  });

  test("for a node whose failure the run has handled says so", async () => {
    const x = controlled("x");
    const compiled = graph(TestState)
      .parallel([failing("broken"), x.node], { strategy: "settled" })
      .end()
      .compile();
    const run = startGraph(compiled);
    await whenEvent(run.events, "node-error");
    const refusal = new NodeNotUnderWayError("parallel_1[broken]/broken", ["parallel_1[x]/x"], true);
    expect(refusal.message).toBe(
      'The node "parallel_1[broken]/broken" failed, and the run handled that failure and continues without the node: nothing more can be done about it. Unfinished: parallel_1[x]/x.',
    );
    expect(await all(run.control, "parallel_1[broken]/broken")).toEqual([refusal, refusal, refusal]);
    expect(await rejectionOf(run.control.retryNode("broken"))).toMatchObject({ node: "broken", isHandled: true });
    x.finish(logs("x"));
    expect((await outcomeOf(run)).log).toEqual(["x"]);
  });

  test("about a node with several visits names them, and one of those is taken", async () => {
    const release = Promise.withResolvers<void>();
    const body = node("work", async ({ item, signal }) => {
      await Promise.race([release.promise, new Promise((_, no) => signal.addEventListener("abort", no))]);
      return logs(`item ${item}`);
    });
    const compiled = graph(TestState)
      .map(() => ["a", "b"], body)
      .end()
      .compile();
    const run = startGraph(compiled);
    await whenEvent(run.events, "node-start");
    const visits = ["map_1[0]/work", "map_1[1]/work"];
    expect(await all(run.control, "work")).toEqual(
      Array.from({ length: 3 }, () => new AmbiguousNodeError("work", visits)),
    );
    await run.control.skipNode("map_1[1]/work", { log: ["skipped b"] });
    release.resolve();
    expect((await outcomeOf(run)).log).toEqual(["item a", "skipped b"]);
  });

  test("for a run that no process executes is rejected", async () => {
    const control = new RunControl();
    expect(await all(control, "x")).toEqual(Array.from({ length: 3 }, () => new RunNotExecutedError(undefined)));
    const run = start(node("x"));
    await run.running;
    expect(await rejectionOf(run.control.cancelNode("x"))).toEqual(new RunNotExecutedError(undefined));
  });

  test("that has not taken effect when the run ends is rejected", async () => {
    const [x, y] = [controlled("x"), controlled("y")];
    const release = Promise.withResolvers<void>();
    const stubborn = node("x", async (context) => {
      void x.node.execute(context);
      await release.promise;
      return logs("x");
    });
    const compiled = graph(TestState).parallel([stubborn, y.node]).end().compile();
    const run = startGraph(compiled);
    await y.started;
    const skipping = rejectionOf(run.control.skipNode("x"));
    await x.aborted;
    y.fail(new Error("y broke"));
    expect(await skipping).toEqual(new NodeEndedError("parallel_1[x]/x"));
    release.resolve();
    expect((await run.running).errorInfo?.message).toBe("y broke");
  });

  test("that is given twice counts the last time", async () => {
    const begun = Promise.withResolvers<void>();
    const run = start(
      node("x", ({ signal }) => {
        begun.resolve();
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => setImmediate(() => reject(signal.reason))),
        );
      }),
    );
    await begun.promise;
    const [cancelled, skipped] = await Promise.allSettled([
      run.control.cancelNode("x"),
      run.control.skipNode("x", { log: ["skipped"] }),
    ]);
    expect([cancelled.status, skipped.status]).toEqual(["rejected", "fulfilled"]);
    expect((await outcomeOf(run)).log).toEqual(["before", "skipped", "after"]);
  });
});

describe("a failed run", () => {
  const failed = async () => {
    const run = start(failing("x"));
    await run.running;
    return run;
  };

  test("continues without the node it failed at", async () => {
    const { compiled, checkpointer } = await failed();
    const commands = [{ type: "skip-node", node: "x", update: { log: ["by hand"] } }] as const;
    const { status, state } = await compiled.resume("r", {}, { checkpointer, commands });
    expect([status, state.log]).toEqual(["completed", ["before", "by hand", "after"]]);
    const { nodes } = await readRunSummary(checkpointer, "r");
    expect(nodes.map(({ status: ended, attempts }) => [ended, attempts])).toEqual([
      ["completed", 1],
      ["skipped", 1],
      ["completed", 1],
    ]);
  });

  test("begins the node again, counted once", async () => {
    const { checkpointer } = await failed();
    const repaired = graph(TestState)
      .start(node("before"))
      .then(node("x", ({ attempt }) => logs(`attempt ${attempt}`)))
      .then(node("after"))
      .end()
      .compile();
    const commands = [{ type: "retry-node", node: "x" }] as const;
    const { state } = await repaired.resume("r", {}, { checkpointer, commands });
    expect(state.log).toEqual(["before", "attempt 2", "after"]);
  });

  test.each([
    [
      { type: "skip-node", node: "nobody" } as const,
      'The node "nobody" is not in progress, and has not failed. Unfinished: x.',
    ],
    [
      { type: "skip-node", node: "x", update: { lgo: 1 } } as const,
      'The state has no field "lgo". Did you mean "log"? Its fields: outputs, log, total, value, isDone. Declare it in defineState() or correct the update.',
    ],
  ])("is not touched by %j", async (command, message) => {
    const { compiled, checkpointer } = await failed();
    const before = await checkpointer.read("r");
    await expect(compiled.resume("r", {}, { checkpointer, commands: [command] })).rejects.toThrow(message);
    expect(await checkpointer.read("r")).toEqual(before);
  });
});
