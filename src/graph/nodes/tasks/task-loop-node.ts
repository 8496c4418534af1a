import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeDefinition, NodePart } from "../../model/node-definition.ts";
import type { Task } from "../../model/task-store.ts";
import {
  aFunction,
  count,
  either,
  node,
  oneOf,
  required,
  someText,
  text,
  wholeNumber,
} from "../../options/option-checks.ts";
import { NOT_THE_WORKS_FAULT } from "../shared/agent-retry.ts";
import { nodeParts, taskNodes, UNBOUNDED_ITERATIONS } from "../shared/node-parts.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import {
  type LoopProgress,
  type LoopUpdate,
  noteTaskFailure,
  type RoundRules,
  runTaskRound,
} from "./run-task-round.ts";
import { beginWorkers, endWorkers, runWorkerRound } from "./run-worker-round.ts";
import { TaskLoopWorkersError } from "./task-loop-errors.ts";
import { failureOf, type TaskLoopState } from "./task-loop-state.ts";
import { noteOf } from "./worker-round.ts";

/** Settings of a {@link taskLoopNode}. */
export interface TaskLoopConfig<State extends TaskLoopState> {
  /** @default "task-loop" */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** The task list. A relative path starts at the run's working directory. @default "research/tasks.json" */
  readonly tasksPath?: string | ((state: Readonly<State>, context: ExecutionContext<State>) => string);
  /** The nodes for each task, in order. The task is `state.currentTask`. */
  readonly taskNodes: NodeDefinition<State> | readonly NodeDefinition<State>[];
  /** Runs before these in each iteration. */
  readonly preIterationNode?: NodeDefinition<State>;
  /** Called before each iteration; `true` ends the loop. Must be pure. @default all tasks are passing or skipped */
  readonly until?: (state: Readonly<State>, tasks: readonly Task[], context: ExecutionContext<State>) => boolean;
  /**
   * The most iterations; then the run continues after the loop. With 0 the tasks have to be done: after 1,000 iterations
   * the loop fails with `GRAPH_LOOP_LIMIT`.
   * @default 100
   */
  readonly maxIterations?: number;
  /** How often a task is started before it counts as failing. @default 3 */
  readonly maxAttempts?: number;
  /** Must be pure. @default the pending task with the lowest `priority` whose dependencies are all passing */
  readonly taskSelector?: (tasks: readonly Task[]) => Task | undefined;
  /**
   * What happens when tasks are left and none can start: the run fails with a `TasksUnfinishedError`, or continues after
   * the loop, with `state.unfinishedTasks`.
   * @default "fail"
   */
  readonly onUnfinished?: "continue" | "fail";
  /**
   * How many tasks are worked on at the same time. With 1, the tasks share one state, one after the other. With more, or
   * with a function of the state, each worker is a branch: what its nodes add through reducers joins when all tasks are
   * done. `item` is the worker's name, `index` its number. `metadata.loop` in the list has each task's attempts and holder.
   * @default 1
   */
  readonly maxConcurrency?: number | ((state: Readonly<State>) => number);
}

export const TASK_LOOP_NODE: NodeFactory<TaskLoopConfig<TaskLoopState>> = {
  name: "taskLoopNode",
  options: {
    id: someText,
    name: text,
    description: text,
    tasksPath: either(someText, aFunction),
    taskNodes: required(taskNodes, "give it the nodes for each task"),
    preIterationNode: node,
    until: aFunction,
    maxIterations: wholeNumber,
    maxAttempts: count,
    taskSelector: aFunction,
    onUnfinished: oneOf(["continue", "fail"]),
    maxConcurrency: either(count, aFunction),
  },
};

/** The state at the start of every loop. */
const NO_PROGRESS: LoopProgress = { currentTask: null, iteration: 0, taskFailures: {} };

/**
 * A node that processes a task list. Each iteration chooses a task, marks it `in_progress` and runs `taskNodes`. If they
 * succeed, the task is `passing`, unless somebody changed its status in the meantime. A task whose nodes fail is restarted,
 * up to `maxAttempts` attempts in all; then it is `failing`, and its dependents are not started. Edits of the list by people
 * apply from the next iteration on. A task that a dead process left in progress is started again.
 *
 * The list comes from `services.tasks`. Only one loop at a time may use a list.
 *
 * ```ts
 * const State = defineState({ ...taskLoopFields });
 * const workflow = graph(State)
 *   .start(
 *     taskLoopNode({
 *       taskNodes: agentNode({ id: "implement", buildMessage: ({ currentTask }) => `Implement: ${currentTask?.name}` }),
 *     }),
 *   )
 *   .end()
 *   .compile();
 * ```
 */
export function taskLoopNode<State extends TaskLoopState>(config: TaskLoopConfig<State>): NodeDefinition<State> {
  return defineNode(TASK_LOOP_NODE, config, makeTaskLoopNode);
}

function makeTaskLoopNode<State extends TaskLoopState>(config: TaskLoopConfig<State>): NodeDefinition<State> {
  const { id = "task-loop", description, maxConcurrency = 1 } = config;
  const rules = rulesOf(id, config);
  const about = { id, type: "tool", ...given({ description }), ...THROUGH_SERVICES } as const;
  if (maxConcurrency === 1) {
    return {
      ...about,
      name: config.name ?? "Choose the first task",
      execute: async (context) => changing(await runTaskRound(context, rules, NO_PROGRESS)),
      parts: [
        iterations(config, rules, {
          next: (context) => runTaskRound(context, rules, context.state),
          attempts: ({ currentTask, taskFailures }) =>
            (failureOf(taskFailures, currentTask?.id ?? "")?.attempts ?? 0) + 1,
        }),
      ],
    };
  }
  const countWorkers = typeof maxConcurrency === "function" ? maxConcurrency : (): number => maxConcurrency;
  const next = (context: ExecutionContext<State>): Promise<LoopUpdate> => runWorkerRound(context, rules);
  const attempts = ({ currentTask }: State): number => (currentTask === null ? 0 : noteOf(currentTask).attempts);
  return {
    ...about,
    name: config.name ?? "Read the list of tasks",
    execute: async (context) => changing(await beginWorkers(context, rules)),
    parts: [
      {
        kind: "map",
        id: `${id}-workers`,
        items: (state) => workersOf(id, countWorkers(state)),
        strategy: "all",
        merge: undefined,
        concurrency: undefined,
        body: {
          steps: [
            ...nodeParts(loopNode<State>(`${id}-first`, "Look for a task", next)),
            iterations(config, rules, { next, attempts }),
          ],
        },
      },
      ...nodeParts(loopNode<State>(`${id}-end`, "Sum up the tasks", (context) => endWorkers(context, rules))),
    ],
  };
}

/** The names of the workers. @throws TaskLoopWorkersError */
function workersOf(loopId: string, workerCount: number): readonly string[] {
  if (!Number.isSafeInteger(workerCount) || workerCount < 1) throw new TaskLoopWorkersError(loopId, workerCount);
  return Array.from({ length: workerCount }, (_, index) => `worker ${index + 1}`);
}

function loopNode<State extends TaskLoopState>(
  id: string,
  name: string,
  execute: (context: ExecutionContext<State>) => LoopUpdate | Promise<LoopUpdate>,
): NodeDefinition<State> {
  return {
    id,
    type: "tool",
    name,
    ...THROUGH_SERVICES,
    execute: async (context) => changing(await execute(context)),
  };
}

interface Iterating<State extends TaskLoopState> {
  readonly next: (context: ExecutionContext<State>) => Promise<LoopUpdate>;
  /** The attempts at the current task, this one included. */
  readonly attempts: (state: Readonly<State>) => number;
}

/** The loop of one worker. */
function iterations<State extends TaskLoopState>(
  config: TaskLoopConfig<State>,
  { loopId, maxAttempts, maxIterations }: RoundRules<State>,
  { next, attempts }: Iterating<State>,
): NodePart<State> {
  const work = nodeParts(config.taskNodes);
  const isBounded = Number.isFinite(maxIterations);
  const failed = loopNode<State>(`${loopId}-failed`, "Note the failure of the task", ({ state, error }) =>
    noteTaskFailure(state, error, { attempts: attempts(state), maxAttempts }),
  );
  return {
    kind: "loop",
    id: `${loopId}-iterations`,
    until: ({ shouldContinue }) => !shouldContinue,
    maxIterations: isBounded ? maxIterations : UNBOUNDED_ITERATIONS,
    onMaxIterations: isBounded ? "continue" : "fail",
    body: {
      steps: [
        ...nodeParts(config.preIterationNode),
        ...work,
        // A catch after no steps would be reported as another problem. A failure that is not the task's fault fails the
        // run, and a resume restarts the task's node.
        ...(work.length === 0 ? [] : [{ kind: "catch", handler: failed, passesOn: NOT_THE_WORKS_FAULT } as const]),
        ...nodeParts(loopNode<State>(`${loopId}-next`, "Look for the next task", next)),
      ],
    },
  };
}

function rulesOf<State extends TaskLoopState>(loopId: string, config: TaskLoopConfig<State>): RoundRules<State> {
  return {
    loopId,
    tasksPath: config.tasksPath ?? "research/tasks.json",
    until: config.until,
    taskSelector: config.taskSelector,
    maxIterations: config.maxIterations === 0 ? Number.POSITIVE_INFINITY : (config.maxIterations ?? 100),
    maxAttempts: config.maxAttempts ?? 3,
    onUnfinished: config.onUnfinished ?? "fail",
  };
}

function changing<State extends TaskLoopState>(update: LoopUpdate): { readonly stateUpdate: Partial<State> } {
  // The cast is true: a State has these fields, of these types.
  return { stateUpdate: update as Partial<State> };
}
