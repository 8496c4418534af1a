import { describe, expect, test } from "bun:test";
import { graph } from "../../builder.ts";
import { JournalWriteError } from "../../errors/errors.ts";
import { FaultySaver } from "../../fixtures/faulty-saver.ts";
import type { MemoryTaskStore } from "../../fixtures/memory-task-store.ts";
import { LoopState, loopFieldsOf, loopNode, storeOf, TASKS_PATH, task } from "../../fixtures/task-loop-bench.ts";
import { rejectionOf } from "../../fixtures/test-nodes.ts";
import type { Task } from "../../model/task-store.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { type TaskLoopConfig, taskLoopNode } from "./task-loop-node.ts";

const loop = taskLoopNode<LoopState>({ taskNodes: loopNode("work") });

describe("people who edit the list during a task loop", () => {
  test.each([
    {
      title: "a status that somebody set for the current task is kept",
      change: (store: MemoryTaskStore) => store.change(TASKS_PATH, "a", { status: "skipped" }),
      kept: "a skipped, b passing, c passing",
      log: ["work a", "work b", "work c"],
    },
    {
      title: "a current task that somebody set to pending is done once more",
      change: (store: MemoryTaskStore) => store.change(TASKS_PATH, "a", { status: "pending" }),
      kept: "a passing, b passing, c passing",
      log: ["work a", "work a", "work b", "work c"],
    },
    {
      title: "a task that was skipped is not done",
      change: (store: MemoryTaskStore) => store.change(TASKS_PATH, "b", { status: "skipped" }),
      kept: "a passing, b skipped, c passing",
      log: ["work a", "work c"],
    },
    {
      title: "a new order applies",
      change: (store: MemoryTaskStore) => store.change(TASKS_PATH, "c", { priority: 1 }),
      kept: "a passing, b passing, c passing",
      log: ["work a", "work c", "work b"],
    },
    {
      title: "a task that was removed, even the current one, is not done any more",
      change: (store: MemoryTaskStore) => store.lists.set(TASKS_PATH, [task("c")]),
      kept: "c passing",
      log: ["work a", "work c"],
    },
    {
      title: "a task that was added is done",
      change: (store: MemoryTaskStore) =>
        store.lists.set(TASKS_PATH, [...(store.lists.get(TASKS_PATH) ?? []), task("d")]),
      kept: "a passing, b passing, c passing, d passing",
      log: ["work a", "work b", "work c", "work d"],
    },
  ])("$title", async ({ change, kept, log }) => {
    const store = storeOf(task("a"), task("b"), task("c"));
    let isChanged = false;
    const person = loopNode("person", () => {
      if (!isChanged) change(store);
      isChanged = true;
      return;
    });
    const compiled = graph(LoopState)
      .start(taskLoopNode<LoopState>({ taskNodes: [loopNode("work"), person] }))
      .end()
      .compile();
    const { state } = await compiled.run({}, { services: { tasks: store } });
    expect(state).toMatchObject({ log, allTasksComplete: true });
    expect(store.kept.at(-1)).toBe(kept);
  });
});

describe("a task loop whose process dies", () => {
  test("continues with the tasks that a dead run left in progress", async () => {
    const store = storeOf({ ...task("a"), status: "passing" }, { ...task("b"), status: "in_progress" }, task("c", "b"));
    const compiled = graph(LoopState).start(loop).end().compile();
    expect((await compiled.run({}, { services: { tasks: store } })).state.log).toEqual(["work b", "work c"]);
  });

  /** A loop whose process is killed after its nth journal entry, and that is resumed. */
  async function runKilledAfter(entryCount: number, store: MemoryTaskStore, config: TaskLoopConfig<LoopState>) {
    const inner = new MemorySaver();
    const compiled = graph(LoopState).start(taskLoopNode<LoopState>(config)).end().compile();
    const services = { tasks: store };
    const dying = new FaultySaver(inner, { failAfter: entryCount });
    const ended = await compiled
      .run({}, { runId: "r", checkpointer: dying, services })
      .catch((error: unknown) => error);
    if (!(ended instanceof JournalWriteError)) return;
    return (await compiled.resume("r", {}, { checkpointer: inner, services })).state;
  }

  test("does every task, marks it once, and counts its failures, wherever the process dies", async () => {
    let entryCount = 1;
    for (; ; entryCount++) {
      const store = storeOf(task("b", "a"), task("a"), task("c"));
      const work = loopNode("work", ({ state: { currentTask, taskFailures } }) => {
        const id = currentTask?.id ?? "";
        if (id === "c" || (id === "a" && taskFailures.a === undefined)) throw new Error(`${id} is hard`);
        return { stateUpdate: { log: [`work ${id}`] } };
      });
      const taskNodes = [work, loopNode("check")];
      const state = await runKilledAfter(entryCount, store, { taskNodes, maxAttempts: 2, onUnfinished: "continue" });
      if (state === undefined) break;
      expect(loopFieldsOf(state)).toEqual({
        log: ["work a", "check a", "work b", "check b"],
        currentTask: null,
        iteration: 5,
        shouldContinue: false,
        allTasksComplete: false,
        maxIterationsReached: false,
        taskFailures: { c: { attempts: 2, message: "c is hard" } },
        unfinishedTasks: [{ id: "c", name: "Task c", status: "failing", reason: "failed: c is hard" }],
      });
      expect(store.kept.at(-1)).toBe("b passing, a passing, c failing");
    }
    expect(entryCount).toBeGreaterThan(15);
  });

  test("repeats a task that a person set to pending, wherever the process dies", async () => {
    let entryCount = 1;
    for (; ; entryCount++) {
      const store = storeOf(task("a"), task("b"));
      let isChanged = false;
      const person = loopNode("person", () => {
        if (!isChanged) store.change(TASKS_PATH, "a", { status: "pending" });
        isChanged = true;
        return;
      });
      const state = await runKilledAfter(entryCount, store, { taskNodes: [loopNode("work"), person] });
      if (state === undefined) break;
      expect(state).toMatchObject({ log: ["work a", "work a", "work b"], iteration: 3, allTasksComplete: true });
    }
    expect(entryCount).toBeGreaterThan(10);
  });
});

describe("a task loop in a graph", () => {
  const services = (...tasks: readonly Task[]) => ({ services: { tasks: storeOf(...tasks) } });

  test("can be in an if, in a loop, and next to a parallel branch", async () => {
    const reset = loopNode("reset", async ({ services: { tasks } }) => {
      await tasks?.update(TASKS_PATH, (list) => list.map((each) => ({ ...each, status: "pending" })));
      return;
    });
    const branch = graph(LoopState)
      .if(() => true, { id: "always" })
      .then(loop)
      .endif();
    const compiled = graph(LoopState)
      .loop(
        graph(LoopState)
          .start(reset)
          .parallel([branch, loopNode("beside")]),
        { maxIterations: 2, id: "rounds" },
      )
      .end()
      .compile();
    const { status, state } = await compiled.run({}, services(task("a"), task("b")));
    expect(status).toBe("completed");
    expect(state.log).toEqual(["work a", "work b", "beside undefined", "work a", "work b", "beside undefined"]);
    expect(state).toMatchObject({ iteration: 2, allTasksComplete: true });
  });

  test("may ask a person in the middle of a task", async () => {
    const gate = {
      ...loopNode("gate", ({ state }) => ({ request: { question: `Ship ${state.currentTask?.id}?` } })),
      applyAnswer: (answer: unknown) => ({ log: [String(answer)] }),
    };
    const compiled = graph(LoopState)
      .start(taskLoopNode<LoopState>({ taskNodes: [loopNode("work"), gate] }))
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const options = services(task("a"), task("b"));
    const asked = await compiled.run({}, { runId: "r", ...options });
    expect(asked.requests.map(({ id, question }) => [id, question])).toEqual([["gate", "Ship a?"]]);
    const again = await compiled.resume("r", { gate: "yes" }, options);
    expect(again.requests.map(({ id, question }) => [id, question])).toEqual([["gate#2", "Ship b?"]]);
    const { state } = await compiled.resume("r", { "gate#2": "no" }, options);
    expect(state.log).toEqual(["work a", "yes", "work b", "no"]);
  });

  test("is cancelled like anything else, and resumes where it stopped", async () => {
    const stop = new AbortController();
    const waiting = loopNode(
      "work",
      ({ signal, attempt, state }) =>
        new Promise((resolve, reject) => {
          if (attempt > 1) resolve({ stateUpdate: { log: [`work ${state.currentTask?.id}`] } });
          signal.addEventListener("abort", () => reject(signal.reason));
          stop.abort(new Error("enough"));
        }),
    );
    const compiled = graph(LoopState)
      .start(taskLoopNode<LoopState>({ taskNodes: waiting }))
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const options = services(task("a"));
    expect((await compiled.run({}, { runId: "r", signal: stop.signal, ...options })).status).toBe("cancelled");
    expect((await compiled.resume("r", {}, options)).state).toMatchObject({ log: ["work a"], taskFailures: {} });
  });

  test("is drawn with all its nodes", () => {
    const config = { id: "tasks", taskNodes: [loopNode("work")], preIterationNode: loopNode("clear") };
    expect(graph(LoopState).start(taskLoopNode<LoopState>(config)).end().compile().toMermaid()).toBe(`flowchart TD
  start([start])
  n0["Choose the first task"]
  n1{{"tasks-iterations"}}
  n2["clear"]
  n3["work"]
  n6["Look for the next task"]
  n5["Note the failure of the task"]
  finish([end])
  n6 --> n1
  n3 --> n6
  n2 --> n3
  n1 -- again --> n2
  n1 -- done --> finish
  n0 --> n1
  start --> n0
  n5 --> n6
  n2 -. failure .-> n5
`);
  });

  test("is checked together with all other problems of the graph", async () => {
    const config = { id: "tasks", taskNodes: [], maxIterations: -1, maxAttempts: 1.5 };
    const compile = async () =>
      graph(LoopState).start(taskLoopNode<LoopState>(config)).then(loopNode("tasks-next")).end().compile();
    expect((await rejectionOf(compile())).message).toBe(`The graph cannot be compiled:
  - "tasks" has taskNodes []; it must be a node or a list of nodes that is not empty
  - "tasks" has maxIterations -1; it must be a whole number from 0
  - "tasks" has maxAttempts 1.5; it must be a whole number from 1
  - the id "tasks-next" is used more than once
Correct the graph's definition.`);
  });
});
