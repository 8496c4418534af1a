import { describe, expect, test } from "bun:test";
import {
  CostUnknownError,
  NotSignedInError,
  RateLimitedError,
  type RunEvent,
  SessionConfigInvalidError,
} from "../../../contracts/index.ts";
import { taskStoreConformance } from "../../../testkit/conformance/saver/task-store-conformance.ts";
import { graph } from "../../builder.ts";
import { MissingServiceError, SchemaValidationError } from "../../errors/errors.ts";
import { MemoryTaskStore } from "../../fixtures/memory-task-store.ts";
import {
  failingFor,
  LoopState,
  loopFieldsOf,
  loopNode,
  storeOf,
  TASKS_PATH,
  task,
} from "../../fixtures/task-loop-bench.ts";
import { rejectionOf } from "../../fixtures/test-nodes.ts";
import { UnknownNameError } from "../../model/named-services.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import type { Task } from "../../model/task-store.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { SessionAgentMismatchError } from "../agents/agent-session.ts";
import { type TaskLoopConfig, taskLoopNode } from "./task-loop-node.ts";

function loop(config: Partial<TaskLoopConfig<LoopState>> = {}) {
  return graph(LoopState)
    .start(taskLoopNode<LoopState>({ taskNodes: loopNode("work"), ...config }))
    .end()
    .compile();
}

async function run(store: MemoryTaskStore, config: Partial<TaskLoopConfig<LoopState>> = {}, options: RunOptions = {}) {
  return await loop(config).run({}, { runId: "r", ...options, services: { tasks: store, ...options.services } });
}

taskStoreConformance("MemoryTaskStore", (tasks) => ({ store: new MemoryTaskStore({ list: tasks }), path: "list" }));

describe("a task loop", () => {
  test("does the tasks in the order of their dependencies, and stores their outcomes", async () => {
    const store = storeOf(task("c", "b"), task("a"), task("b", "a"));
    const { status, state } = await run(store, {
      taskNodes: [loopNode("work"), loopNode("check")],
      preIterationNode: loopNode("clear"),
    });
    expect(status).toBe("completed");
    expect(loopFieldsOf(state)).toEqual({
      log: ["a", "b", "c"].flatMap((id) => [`clear ${id}`, `work ${id}`, `check ${id}`]),
      currentTask: null,
      iteration: 3,
      shouldContinue: false,
      allTasksComplete: true,
      maxIterationsReached: false,
      taskFailures: {},
      unfinishedTasks: [],
    });
    expect(store.kept).toEqual([
      "c pending, a in_progress, b pending",
      "c pending, a passing, b pending",
      "c pending, a passing, b in_progress",
      "c pending, a passing, b passing",
      "c in_progress, a passing, b passing",
      "c passing, a passing, b passing",
    ]);
  });

  test("reports its progress at each step", async () => {
    const events: RunEvent[] = [];
    await run(storeOf(task("a")), {}, { onEvent: (event) => events.push(event) });
    const told = events.flatMap((event) => (event.type === "tasks" ? [[event.nodeId, event.tasks]] : []));
    expect(told).toEqual([
      ["task-loop", [{ id: "a", name: "Task a", status: "in_progress" }]],
      ["task-loop-next", [{ id: "a", name: "Task a", status: "passing" }]],
    ]);
  });

  test("has nothing to do for an empty list, or one that is done", async () => {
    for (const tasks of [
      [],
      [
        { ...task("a"), status: "passing" as const },
        { ...task("b"), status: "skipped" as const },
      ],
    ]) {
      const { state } = await run(storeOf(...tasks));
      expect(state).toMatchObject({ log: [], iteration: 0, allTasksComplete: true, currentTask: null });
    }
  });

  test("finds its list in the working directory, or where the state says", async () => {
    const store = new MemoryTaskStore({ "/work/research/tasks.json": [task("a")], "/other/b.json": [task("b")] });
    const services = { workingDirectory: "/work" };
    expect((await run(store, {}, { services })).state.log).toEqual(["work a"]);
    const tasksPath = (state: LoopState): string => `/other/${state.log.length === 0 ? "b" : "c"}.json`;
    const { error } = await run(store, { tasksPath }, { services });
    expect(store.kept.slice(2)).toEqual(["b in_progress"]);
    expect(error?.message).toBe("There is no list of tasks at /other/c.json. Create it.");
  });

  test("ends when its own criterion is met", async () => {
    const until = (state: LoopState, tasks: readonly Task[]): boolean =>
      state.log.length === 2 && tasks.some(({ status }) => status === "pending");
    const { state } = await run(storeOf(task("a"), task("b"), task("c")), { until });
    expect(state).toMatchObject({
      log: ["work a", "work b"],
      allTasksComplete: false,
      maxIterationsReached: false,
      unfinishedTasks: [{ id: "c", name: "Task c", status: "pending", reason: "was not begun" }],
    });
  });

  test("processes any number of tasks with a maxIterations of 0", async () => {
    const tasks = Array.from({ length: 101 }, (_, index) => task(`t${index}`));
    const { state } = await run(storeOf(...tasks), { maxIterations: 0 });
    expect(state).toMatchObject({ iteration: 101, allTasksComplete: true, maxIterationsReached: false });
    expect((await run(storeOf(...tasks))).state).toMatchObject({ iteration: 100, maxIterationsReached: true });
  });

  test("ends after its last iteration, and says so", async () => {
    const { status, state } = await run(storeOf(task("a"), task("b"), task("c", "b")), { maxIterations: 1 });
    expect(status).toBe("completed");
    expect(state).toMatchObject({
      log: ["work a"],
      iteration: 1,
      maxIterationsReached: true,
      allTasksComplete: false,
      unfinishedTasks: [
        { id: "b", status: "pending", reason: "was not begun" },
        { id: "c", status: "pending", reason: "waits for b" },
      ],
    });
  });

  test("ends normally when its last iteration does the last task", async () => {
    expect((await run(storeOf(task("a")), { maxIterations: 1 })).state).toMatchObject({
      maxIterationsReached: false,
      allTasksComplete: true,
    });
  });

  test("leaves the choice to a selector, which receives the available tasks as pending", async () => {
    const store = storeOf(task("a"), task("b"), { ...task("c"), status: "in_progress" });
    const taskSelector = (tasks: readonly Task[]): Task | undefined =>
      tasks.findLast(({ status }) => status === "pending");
    expect((await run(store, { taskSelector })).state.log).toEqual(["work c", "work b", "work a"]);
  });

  test("rejects a task that a selector may not choose", async () => {
    const { errorInfo } = await run(storeOf(task("a")), { taskSelector: () => task("z") });
    expect(errorInfo).toEqual({
      code: "TASK_NOT_SELECTABLE",
      message:
        'The taskSelector of "task-loop" chose "z", which is not a pending task of the list. Return one of the pending tasks that it receives, or undefined.',
      nodeId: "task-loop",
    });
  });

  test("fails without a store", async () => {
    expect(await rejectionOf(loop().execute())).toEqual(new MissingServiceError("tasks", "task-loop"));
  });
});

describe("a task that fails", () => {
  test("is restarted, and passes in the end", async () => {
    const seen: unknown[] = [];
    const look = loopNode("look", ({ state }) => void seen.push(state.taskFailures));
    const store = storeOf(task("a"), task("b"));
    const { state } = await run(store, { taskNodes: [look, failingFor({ a: 2 })] });
    expect(state).toMatchObject({ log: ["work a", "work b"], iteration: 4, allTasksComplete: true, taskFailures: {} });
    expect(seen).toEqual([
      {},
      { a: { attempts: 1, message: "a is hard" } },
      { a: { attempts: 2, message: "a is hard" } },
      {},
    ]);
    expect(store.kept).toEqual([
      "a in_progress, b pending",
      "a pending, b pending",
      "a in_progress, b pending",
      "a pending, b pending",
      "a in_progress, b pending",
      "a passing, b pending",
      "a passing, b in_progress",
      "a passing, b passing",
    ]);
  });

  test("is given up after its last attempt; the others are done, and tasks that wait for it are reported", async () => {
    const store = storeOf(task("a"), task("b", "a"), task("c"), task("d", "b", "c"));
    const { errorInfo, state } = await run(store, { taskNodes: failingFor({ a: 9 }), maxAttempts: 2 });
    expect(state.log).toEqual(["work c"]);
    expect(store.kept.at(-1)).toBe("a failing, b pending, c passing, d pending");
    expect(errorInfo).toEqual({
      code: "TASKS_UNFINISHED",
      message: `The tasks of "task-loop" are not done, and none of them can start: a (failed: a is hard), b (waits for a), d (waits for b). Correct ${TASKS_PATH}, for example by setting a task to "pending" or "skipped", then resume the run.`,
      nodeId: "task-loop-next",
    });
  });

  test("knows no failure of a task whose id is the name of a method", async () => {
    const tasks = [{ ...task("constructor"), status: "failing" as const }, task("toString")];
    const config = { taskNodes: failingFor({ toString: 1 }), maxAttempts: 2, onUnfinished: "continue" as const };
    const { state } = await run(storeOf(...tasks), config);
    expect(state.log).toEqual(["work toString"]);
    expect(state.unfinishedTasks.map(({ id, reason }) => `${id} ${reason}`)).toEqual([
      "constructor is marked as failing",
    ]);
  });

  test("does not fail the run with `onUnfinished: continue`", async () => {
    const config = { taskNodes: failingFor({ a: 9 }), maxAttempts: 1, onUnfinished: "continue" as const };
    const { status, state } = await run(storeOf(task("a"), task("b", "a")), config);
    expect(status).toBe("completed");
    expect(loopFieldsOf(state)).toEqual({
      log: [],
      currentTask: null,
      iteration: 1,
      shouldContinue: false,
      allTasksComplete: false,
      maxIterationsReached: false,
      taskFailures: { a: { attempts: 1, message: "a is hard" } },
      unfinishedTasks: [
        { id: "a", name: "Task a", status: "failing", reason: "failed: a is hard" },
        { id: "b", name: "Task b", status: "pending", reason: "waits for a" },
      ],
    });
  });

  test("is restarted, with all its attempts, when a person corrected the list and resumed the run", async () => {
    const checkpointer = new MemorySaver();
    const store = storeOf(task("a"), task("b", "a"));
    const config = { taskNodes: failingFor({ a: 3 }), maxAttempts: 2 };
    const graphOfLoop = loop(config);
    const options = { checkpointer, services: { tasks: store } };
    expect((await graphOfLoop.run({}, { runId: "r", ...options })).errorInfo?.code).toBe("TASKS_UNFINISHED");
    store.change(TASKS_PATH, "a", { status: "pending" });
    const { state } = await graphOfLoop.resume("r", {}, options);
    expect(state).toMatchObject({ log: ["work a", "work b"], allTasksComplete: true, iteration: 5 });
  });

  test("is started once more when its first node rejects its input", async () => {
    const refused = new Set<string>();
    const picky: NodeDefinition<LoopState> = {
      ...loopNode("work", ({ state }) => {
        const id = state.currentTask?.id ?? "";
        if (!refused.has(id)) {
          refused.add(id);
          throw new SchemaValidationError(`${id} has the wrong shape`);
        }
        return { stateUpdate: { log: [`work ${id}`] } };
      }),
      retry: { maxAttempts: 2 },
    };
    const store = storeOf(task("a"), task("b"));
    const { state } = await run(store, { taskNodes: picky });
    expect(state).toMatchObject({ log: ["work a", "work b"], iteration: 2, taskFailures: {} });
    expect(store.kept).toEqual([
      "a in_progress, b pending",
      "a passing, b pending",
      "a passing, b in_progress",
      "a passing, b passing",
    ]);
  });

  test.each([
    { title: "a name that is misspelt", error: new UnknownNameError("agent", "reviwer", "work", ["reviewer"]) },
    {
      title: "sessions of different agents",
      error: new SessionAgentMismatchError("work", "review", ["claude", "copilot"]),
    },
    { title: "a setting that no session takes", error: new SessionConfigInvalidError(["No."]) },
    { title: "a model without a price", error: new CostUnknownError("claude") },
    { title: "a rate limit", error: new RateLimitedError("claude", "busy", 0) },
  ])("is not blamed for $title", async ({ error }) => {
    const store = storeOf(task("a"), task("b"));
    const work = loopNode("work", () => {
      throw error;
    });
    const failed = await run(store, { taskNodes: work });
    expect(failed.error).toBe(error);
    expect(store.kept).toEqual(["a in_progress, b pending"]);
  });

  test("is not blamed for a missing login: the run fails, and continues with the task when it is resumed", async () => {
    const checkpointer = new MemorySaver();
    const store = storeOf(task("a"));
    let isSignedIn = false;
    const work = loopNode("work", () => {
      if (!isSignedIn) throw new NotSignedInError("claude", "claude login");
      return { stateUpdate: { log: ["worked"] } };
    });
    const graphOfLoop = loop({ taskNodes: work });
    const options = { checkpointer, services: { tasks: store } };
    const failed = await graphOfLoop.run({}, { runId: "r", ...options });
    expect(failed.errorInfo).toMatchObject({ code: "NOT_SIGNED_IN", nodeId: "work" });
    expect(store.kept).toEqual(["a in_progress"]);
    isSignedIn = true;
    const { state } = await graphOfLoop.resume("r", {}, options);
    expect(state).toMatchObject({ log: ["worked"], allTasksComplete: true, taskFailures: {}, iteration: 1 });
  });
});
