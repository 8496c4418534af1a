import { immediate } from "../../errors/promise-returned-error.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { Task } from "../../model/task-store.ts";
import { type LoopUpdate, pathOf, type RoundRules, selectFrom, showTasks, storeOf } from "./run-task-round.ts";
import { TasksUnfinishedError } from "./task-loop-errors.ts";
import { failureOf, type TaskLoopState } from "./task-loop-state.ts";
import { areTasksComplete, explainUnfinished } from "./task-round.ts";
import {
  countStarts,
  failuresIn,
  planWorkerRound,
  resetTasks,
  settleWorkersTask,
  type WorkerRound,
} from "./worker-round.ts";

/** The fields of a worker without a task: the same for all of them, because their branches join. */
const NO_TASK: LoopUpdate = { currentTask: null, iteration: 0, shouldContinue: false, taskFailures: {} };

/** Resets the list and the fields that an earlier loop may have left. @throws MissingServiceError, and what the store throws */
export async function beginWorkers<State extends TaskLoopState>(
  context: ExecutionContext<State>,
  rules: RoundRules<State>,
): Promise<LoopUpdate> {
  const { services, signal } = context;
  const tasks = await storeOf(services, rules.loopId).update(pathOf(rules, context), resetTasks, { signal });
  showTasks(context, tasks);
  return { ...NO_TASK, allTasksComplete: false, maxIterationsReached: false, unfinishedTasks: [] };
}

/**
 * Writes the outcome of a worker's task to the list, and starts its next one. Waits while there is none, but the tasks of
 * others may make some ready.
 *
 * @throws MissingServiceError, TaskNotSelectableError, and what the store throws
 */
export async function runWorkerRound<State extends TaskLoopState>(
  context: ExecutionContext<State>,
  rules: RoundRules<State>,
): Promise<LoopUpdate> {
  // The first node of the iteration rejected its input, so this node runs again: the task is still the same.
  if (context.feedback !== undefined) return {};
  const { state, services, signal } = context;
  const path = pathOf(rules, context);
  const store = storeOf(services, rules.loopId);
  const worker = `${context.runId}:${context.index}`;
  await settle(context, { path, rules, worker });
  for (;;) {
    const round = await plan(context, { path, rules, worker });
    showTasks(context, round.tasks);
    if (round.type === "over") return NO_TASK;
    if (round.type === "next") {
      const { tasks, task: currentTask } = round;
      return { currentTask, iteration: state.iteration + 1, shouldContinue: true, taskFailures: failuresIn(tasks) };
    }
    await context.whileIdle(() => store.changed(path, round.tasks, { signal }));
  }
}

interface Worker<State extends TaskLoopState> {
  readonly path: string;
  readonly rules: RoundRules<State>;
  readonly worker: string;
}

/** As `settleCurrent` of a loop with one worker. */
async function settle<State extends TaskLoopState>(
  { state, services, signal, step }: ExecutionContext<State>,
  { path, rules, worker }: Worker<State>,
): Promise<void> {
  const { currentTask: current } = state;
  if (current === null) return;
  const message = failureOf(state.taskFailures, current.id)?.message;
  const store = storeOf(services, rules.loopId);
  await step("settled", async () => {
    await store.update(path, (tasks) => settleWorkersTask(tasks, { current, worker, message }), { signal });
    return current.id;
  });
}

async function plan<State extends TaskLoopState>(
  context: ExecutionContext<State>,
  { path, rules, worker }: Worker<State>,
): Promise<WorkerRound> {
  const { services, signal, runId, state } = context;
  const { loopId, until, maxIterations, maxAttempts } = rules;
  const isOver = (now: readonly Task[]): boolean =>
    until === undefined ? areTasksComplete(now) : immediate(until(state, now, context), "until", loopId);
  const select = (tasks: readonly Task[]): Task | undefined => selectFrom(tasks, rules);
  let round: WorkerRound = { type: "over", tasks: [] };
  await storeOf(services, loopId).update(
    path,
    (tasks) => {
      round = planWorkerRound({ tasks, runId, worker, maxIterations, maxAttempts, until: isOver, select });
      return round.tasks;
    },
    { signal },
  );
  return round;
}

/** The fields of the state after a loop. @throws TasksUnfinishedError, and as {@link runWorkerRound} */
export async function endWorkers<State extends TaskLoopState>(
  context: ExecutionContext<State>,
  rules: RoundRules<State>,
): Promise<LoopUpdate> {
  const { services, signal, state } = context;
  const { loopId, until, maxIterations, onUnfinished } = rules;
  const path = pathOf(rules, context);
  const tasks = await storeOf(services, loopId).update(path, (now) => now, { signal });
  showTasks(context, tasks);
  const taskFailures = failuresIn(tasks.filter(({ status }) => status !== "passing"));
  const unfinishedTasks = explainUnfinished(tasks, taskFailures);
  const isStuck = selectFrom(tasks, rules) === undefined && until?.(state, tasks, context) !== true;
  if (isStuck && unfinishedTasks.length > 0 && onUnfinished === "fail") {
    throw new TasksUnfinishedError(loopId, path, unfinishedTasks);
  }
  const iteration = countStarts(tasks);
  const allTasksComplete = areTasksComplete(tasks);
  const maxIterationsReached = !allTasksComplete && !isStuck && iteration >= maxIterations;
  return { ...NO_TASK, iteration, allTasksComplete, maxIterationsReached, taskFailures, unfinishedTasks };
}
