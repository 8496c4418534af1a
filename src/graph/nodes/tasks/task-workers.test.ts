import { describe, expect, test } from "bun:test";
import { graph } from "../../builder.ts";
import type { MemoryTaskStore } from "../../fixtures/memory-task-store.ts";
import { LoopState, loopFieldsOf, loopNode, storeOf, TASKS_PATH, task } from "../../fixtures/task-loop-bench.ts";
import type { Task } from "../../model/task-store.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { RunControl } from "../../steering/run-control.ts";
import { waitNode } from "../people/wait-node.ts";
import { type TaskLoopConfig, taskLoopNode } from "./task-loop-node.ts";

function loop(config: Partial<TaskLoopConfig<LoopState>> = {}) {
  return graph(LoopState)
    .start(taskLoopNode<LoopState>({ taskNodes: loopNode("work"), maxConcurrency: 3, ...config }))
    .end()
    .compile();
}

async function run(store: MemoryTaskStore, config: Partial<TaskLoopConfig<LoopState>> = {}, options: RunOptions = {}) {
  return await loop(config).run({}, { runId: "r", ...options, services: { tasks: store, ...options.services } });
}

/** Nodes that start and end when the test says. */
class Gate {
  readonly started: string[] = [];
  readonly #open = new Map<string, (error?: Error) => void>();
  #tell: (() => void) | undefined;

  readonly node = loopNode("work", async ({ state, signal }) => {
    const id = state.currentTask?.id ?? "";
    this.started.push(id);
    this.#tell?.();
    await new Promise<void>((resolve, reject) => {
      this.#open.set(id, (error) => (error === undefined ? resolve() : reject(error)));
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    return { stateUpdate: { log: [`work ${id}`] } };
  });

  async startedCount(count: number): Promise<void> {
    while (this.started.length < count) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
  }

  end(id: string, error?: Error): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.(error);
  }
}

const statuses = (store: MemoryTaskStore): string =>
  (store.lists.get(TASKS_PATH) ?? []).map(({ id, status }) => `${id} ${status}`).join(", ");

describe("a task loop with several workers", () => {
  test("starts each task as soon as its own dependencies are done, whatever else is in progress", async () => {
    const gate = new Gate();
    const store = storeOf(task("a1"), task("a2", "a1"), task("b1"), task("b2", "b1"), task("end", "a2", "b2"));
    const running = run(store, { taskNodes: gate.node });
    await gate.startedCount(2);
    expect(gate.started).toEqual(["a1", "b1"]);
    gate.end("a1");
    await gate.startedCount(3);
    expect(statuses(store)).toBe("a1 passing, a2 in_progress, b1 in_progress, b2 pending, end pending");
    gate.end("a2");
    gate.end("b1");
    await gate.startedCount(4);
    gate.end("b2");
    await gate.startedCount(5);
    gate.end("end");
    const { status, state } = await running;
    expect(status).toBe("completed");
    expect(gate.started).toEqual(["a1", "b1", "a2", "b2", "end"]);
    expect(loopFieldsOf(state)).toEqual({
      log: expect.arrayContaining(["work a1", "work a2", "work b1", "work b2", "work end"]),
      currentTask: null,
      iteration: 5,
      shouldContinue: false,
      allTasksComplete: true,
      maxIterationsReached: false,
      taskFailures: {},
      unfinishedTasks: [],
    });
    expect(store.lists.get(TASKS_PATH)?.map(({ metadata }) => metadata)).toEqual(
      Array.from({ length: 5 }, () => ({ loop: { attempts: 1 } })),
    );
  });

  test("needs one place of the run while others wait for its task", async () => {
    const { status, state } = await run(storeOf(task("a"), task("b", "a")), {}, { maxConcurrency: 1 });
    expect([status, state.log]).toEqual(["completed", ["work a", "work b"]]);
  });

  test("starts no more workers than the state says", async () => {
    const gate = new Gate();
    const running = run(storeOf(task("a"), task("b"), task("c")), { taskNodes: gate.node, maxConcurrency: () => 2 });
    await gate.startedCount(2);
    gate.end("a");
    await gate.startedCount(3);
    expect(gate.started).toEqual(["a", "b", "c"]);
    gate.end("b");
    gate.end("c");
    expect((await running).status).toBe("completed");
  });

  test.each([0, -1, 1.5, Number.NaN])("rejects %p workers", async (count) => {
    const { errorInfo } = await run(storeOf(task("a")), { maxConcurrency: () => count });
    expect(errorInfo).toMatchObject({
      code: "TASK_LOOP_WORKERS",
      message: `The maxConcurrency of "task-loop" returned ${count}. Return a whole number from 1.`,
    });
  });

  test("starts a failed task again, with its failure, and is marked as failing after its last attempt", async () => {
    const seen: unknown[] = [];
    const work = loopNode("work", ({ state }) => {
      const { currentTask, taskFailures } = state;
      if (currentTask?.id === "a") seen.push(taskFailures.a);
      if (currentTask?.id === "a") throw new Error(`no ${seen.length}`);
      return { stateUpdate: { log: [`work ${currentTask?.id}`] } };
    });
    const store = storeOf(task("a"), task("b", "a"), task("c"));
    const { errorInfo, state } = await run(store, { taskNodes: work, maxAttempts: 3 });
    expect(seen).toEqual([undefined, { attempts: 1, message: "no 1" }, { attempts: 2, message: "no 2" }]);
    expect(state.log).toEqual(["work c"]);
    expect(store.lists.get(TASKS_PATH)).toEqual([
      { ...task("a"), status: "failing", metadata: { loop: { attempts: 3, failure: "no 3" } } },
      task("b", "a"),
      { ...task("c"), status: "passing", metadata: { loop: { attempts: 1 } } },
    ]);
    expect(errorInfo).toEqual({
      code: "TASKS_UNFINISHED",
      message: `The tasks of "task-loop" are not done, and none of them can start: a (failed: no 3), b (waits for a). Correct ${TASKS_PATH}, for example by setting a task to "pending" or "skipped", then resume the run.`,
      nodeId: "task-loop-end",
    });
  });

  test("continues with a task that a person set to pending or added, while the others work", async () => {
    const gate = new Gate();
    const store = storeOf(task("a"), { ...task("b"), status: "skipped" });
    const running = run(store, { taskNodes: gate.node });
    await gate.startedCount(1);
    store.change(TASKS_PATH, "b", { status: "pending" });
    await gate.startedCount(2);
    gate.end("b");
    gate.end("a");
    expect((await running).state.allTasksComplete).toBe(true);
    expect(gate.started).toEqual(["a", "b"]);
  });

  test("leaves a status that a person gave a task in progress", async () => {
    const gate = new Gate();
    const store = storeOf(task("a"), task("b", "a"));
    const running = run(store, { taskNodes: gate.node, onUnfinished: "continue" });
    await gate.startedCount(1);
    store.change(TASKS_PATH, "a", { status: "failing" });
    gate.end("a");
    expect((await running).state.unfinishedTasks.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(statuses(store)).toBe("a failing, b pending");
  });

  test("starts a task that a person set to pending again only when its worker has ended", async () => {
    const gate = new Gate();
    const store = storeOf(task("a"));
    const running = run(store, { taskNodes: gate.node });
    await gate.startedCount(1);
    store.change(TASKS_PATH, "a", { status: "pending" });
    // A worker that wakes now must not take it.
    store.lists.set(TASKS_PATH, [...(store.lists.get(TASKS_PATH) ?? []), task("b")]);
    store.change(TASKS_PATH, "b", { priority: 1 });
    await gate.startedCount(2);
    expect(gate.started).toEqual(["a", "b"]);
    gate.end("b");
    gate.end("a");
    await gate.startedCount(3);
    gate.end("a");
    expect((await running).state.allTasksComplete).toBe(true);
    expect(gate.started).toEqual(["a", "b", "a"]);
  });

  test("takes a copy of an entry in progress for a task of its own", async () => {
    const gate = new Gate();
    const store = storeOf(task("a"));
    const running = run(store, { taskNodes: gate.node });
    await gate.startedCount(1);
    const [entry = task("a")] = store.lists.get(TASKS_PATH) ?? [];
    store.lists.set(TASKS_PATH, [entry, { ...entry, id: "copy", status: "pending" }]);
    store.change(TASKS_PATH, "copy", { priority: 1 });
    await gate.startedCount(2);
    gate.end("a");
    gate.end("copy");
    expect((await running).state.allTasksComplete).toBe(true);
    expect(gate.started).toEqual(["a", "copy"]);
  });

  test.each([
    { status: "pending", started: ["a", "b", "a"] },
    { status: "in_progress", started: ["a", "b", "a"] },
  ] as const)("waits for nobody where a person puts an old entry back that is $status", async ({ status, started }) => {
    const gate = new Gate();
    const store = storeOf(task("a"), task("b", "a"));
    const running = run(store, { taskNodes: gate.node, maxConcurrency: () => 1 });
    await gate.startedCount(1);
    const old = store.lists.get(TASKS_PATH)?.find(({ id }) => id === "a");
    gate.end("a");
    await gate.startedCount(2);
    store.change(TASKS_PATH, "a", { ...old, status });
    gate.end("b");
    await gate.startedCount(3);
    gate.end("a");
    expect((await running).state.allTasksComplete).toBe(true);
    expect(gate.started).toEqual([...started]);
  });

  test("waits for nobody where an old entry is back and nothing more may start", async () => {
    const gate = new Gate();
    const store = storeOf(task("a"), task("b", "a"));
    const running = run(store, { taskNodes: gate.node, maxIterations: 2, maxConcurrency: 2 });
    await gate.startedCount(1);
    const old = store.lists.get(TASKS_PATH)?.find(({ id }) => id === "a");
    gate.end("a");
    await gate.startedCount(2);
    store.change(TASKS_PATH, "a", { ...old, status: "pending" });
    gate.end("b");
    expect((await running).state).toMatchObject({ maxIterationsReached: true, allTasksComplete: false });
  });

  test("starts no more tasks than maxIterations, all workers together", async () => {
    const tasks = Array.from({ length: 9 }, (_, index) => task(`t${index}`));
    const { status, state } = await run(storeOf(...tasks), { maxIterations: 4 });
    expect(status).toBe("completed");
    expect(state).toMatchObject({ iteration: 4, maxIterationsReached: true, allTasksComplete: false });
    expect(state.log).toHaveLength(4);
  });

  test("ends when its own criterion is met, without an error for the tasks that are left", async () => {
    const until = (_state: LoopState, tasks: readonly Task[]): boolean =>
      tasks.some(({ status }) => status === "passing");
    const { status, state } = await run(storeOf(task("a"), task("b", "a")), { until, maxConcurrency: 2 });
    expect(status).toBe("completed");
    expect(state.unfinishedTasks.map(({ id }) => id)).toEqual(["b"]);
  });

  test("begins with tasks that an earlier run left in progress, and forgets its attempts", async () => {
    const store = storeOf(
      { ...task("a"), status: "in_progress", metadata: { loop: { attempts: 3, worker: "old:0", failure: "no" } } },
      { ...task("b"), metadata: { note: "mine", loop: { attempts: 2 } } },
    );
    expect((await run(store)).status).toBe("completed");
    expect(store.lists.get(TASKS_PATH)?.map(({ metadata }) => metadata)).toEqual([
      { loop: { attempts: 1 } },
      { note: "mine", loop: { attempts: 1 } },
    ]);
  });

  test("does nothing for an empty list", async () => {
    expect((await run(storeOf())).state).toMatchObject({ log: [], iteration: 0, allTasksComplete: true });
  });

  test("is suspended while a person is asked and nothing else can be done, and continues with the answer", async () => {
    const store = storeOf(task("a"), task("b", "a"));
    const ask = waitNode<LoopState>({ id: "ask", prompt: ({ state }) => `${state.currentTask?.id}?` });
    const options = { checkpointer: new MemorySaver(), services: { tasks: store } };
    const asking = loop({ taskNodes: [ask, loopNode("work")] });
    let result = await asking.run({}, { runId: "r", ...options });
    for (const id of ["a", "b"]) {
      expect([result.status, result.requests.map(({ question }) => question)]).toEqual(["suspended", [`${id}?`]]);
      result = await asking.resume("r", { [result.requests[0]?.id ?? ""]: "yes" }, options);
    }
    expect([result.status, result.state.log]).toEqual(["completed", ["work a", "work b"]]);
  });

  test("pauses although workers wait for the task that ends, and continues with what that made ready", async () => {
    const gate = new Gate();
    const store = storeOf(task("a"), task("b", "a"));
    const checkpointer = new MemorySaver();
    const control = new RunControl();
    const running = run(store, { taskNodes: gate.node }, { checkpointer, control });
    await gate.startedCount(1);
    await control.pause();
    gate.end("a");
    expect((await running).status).toBe("suspended");
    const resumed = loop({ taskNodes: gate.node }).resume("r", {}, { checkpointer, services: { tasks: store } });
    await gate.startedCount(2);
    gate.end("b");
    const { status, state } = await resumed;
    expect([status, gate.started, state.log]).toEqual(["completed", ["a", "b"], ["work a", "work b"]]);
  });

  test("repeats no finished task when the process dies at any moment", async () => {
    for (let killedAfter = 1; killedAfter < 60; killedAfter++) {
      const checkpointer = new MemorySaver();
      const store = storeOf(task("a"), task("b"), task("c", "a", "b"), task("d", "a"));
      const done: string[] = [];
      const stop = new AbortController();
      let count = 0;
      const work = loopNode("work", ({ state }) => {
        done.push(state.currentTask?.id ?? "");
        return { stateUpdate: { log: [`work ${state.currentTask?.id}`] } };
      });
      const graphOfLoop = loop({ taskNodes: work });
      const options = { checkpointer, services: { tasks: store } };
      const onEvent = (): void => {
        if (++count === killedAfter) stop.abort(new Error("killed"));
      };
      const first = await graphOfLoop.run({}, { runId: "r", ...options, signal: stop.signal, onEvent });
      const { status, state } = first.status === "completed" ? first : await graphOfLoop.resume("r", {}, options);
      expect(status).toBe("completed");
      expect(state.log.toSorted()).toEqual(["work a", "work b", "work c", "work d"]);
      expect(new Set(done).size).toBe(4);
      expect(statuses(store)).toBe("a passing, b passing, c passing, d passing");
    }
  });
});
