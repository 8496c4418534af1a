import { expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { controlled, node, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import type { CodeGuard, NodeScope } from "./code-guard.ts";

/** A guard that lets a test report uncaught errors. */
class TestGuard implements CodeGuard {
  readonly scopes: NodeScope[] = [];
  failRun: ((error: Error) => void) | undefined;

  enter<Result>(scope: NodeScope, execute: () => Result | Promise<Result>): Result | Promise<Result> {
    this.scopes.push(scope);
    return execute();
  }

  attach(failRun: (error: Error) => void): () => void {
    this.failRun = failRun;
    return () => {
      this.failRun = undefined;
    };
  }
}

test("a guard fails the node that it is about, whose code may never end, and only while that runs", async () => {
  const guard = new TestGuard();
  const begun = Promise.withResolvers<void>();
  const stuck = node("stuck", () => {
    begun.resolve();
    return new Promise(() => undefined);
  });
  const running = graph(TestState)
    .start([node("a"), stuck])
    .end()
    .compile()
    .run({}, { guard });
  await begun.promise;
  const isHeard = guard.scopes.map((scope) => scope.fail(new Error("escaped")));
  const { status, errorInfo } = await running;
  expect({ isHeard, status, errorInfo, nodes: guard.scopes.map(({ taskId }) => taskId) }).toEqual({
    isHeard: [false, true],
    status: "failed",
    errorInfo: { code: "NODE_FAILED", message: "escaped", nodeId: "stuck" },
    nodes: ["a", "stuck"],
  });
});

test("a guard fails the run for what belongs to no node, and the run can be resumed", async () => {
  const guard = new TestGuard();
  const first = controlled("work");
  const checkpointer = new MemorySaver();
  const running = graph(TestState).start(first.node).end().compile({ checkpointer }).run({}, { guard, runId: "r" });
  await first.started;
  guard.failRun?.(new Error("escaped"));
  const { status, errorInfo } = await running;
  expect({ status, errorInfo, failRun: guard.failRun }).toEqual({
    status: "failed",
    errorInfo: { code: "RUN_FAILED", message: "escaped" },
    failRun: undefined,
  });
  const again = graph(TestState).start(node("work")).end().compile({ checkpointer });
  expect((await again.resume("r")).status).toBe("completed");
});
