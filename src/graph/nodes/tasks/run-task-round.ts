import { resolve } from "node:path";
import { AtomicError } from "../../../contracts/index.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import { immediate } from "../../errors/promise-returned-error.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { Task, TaskStore } from "../../model/task-store.ts";
import { TaskNotSelectableError, TasksUnfinishedError } from "./task-loop-errors.ts";
import type { TaskFailure, TaskLoopState } from "./task-loop-state.ts";
import {
  areTasksComplete,
  explainUnfinished,
  planRound,
  type Round,
  selectNextTask,
  settleTask,
} from "./task-round.ts";

/** The rules between two iterations of a task loop. */
export interface RoundRules<State extends TaskLoopState> {
  readonly loopId: string;
  readonly tasksPath: string | ((state: Readonly<State>, context: ExecutionContext<State>) => string);
  /** @default all tasks are done */
  readonly until:
    | ((state: Readonly<State>, tasks: readonly Task[], context: ExecutionContext<State>) => boolean)
    | undefined;
  /** @default the first task that can start */
  readonly taskSelector: ((tasks: readonly Task[]) => Task | undefined) | undefined;
  readonly maxIterations: number;
  readonly maxAttempts: number;
  readonly onUnfinished: "continue" | "fail";
}

/** The progress of a task loop. */
export type LoopProgress = Pick<TaskLoopState, "currentTask" | "iteration" | "taskFailures">;

/** The fields that a loop changes. */
export type LoopUpdate = Partial<Omit<TaskLoopState, "executionId" | "lastUpdated" | "outputs">>;

/** The longest failure message stored with a task, in characters. */
const MAX_MESSAGE_LENGTH = 8_000;

/**
 * Writes the outcome of the last task to the list, and starts the next one.
 *
 * @throws MissingServiceError, TaskNotSelectableError, TasksUnfinishedError, and what the store throws
 */
export async function runTaskRound<State extends TaskLoopState>(
  context: ExecutionContext<State>,
  rules: RoundRules<State>,
  progress: LoopProgress,
): Promise<LoopUpdate> {
  // The first node of the iteration rejected its input, so this node runs again: the task is still the same.
  if (context.feedback !== undefined) return {};
  const { loopId } = rules;
  const path = pathOf(rules, context);
  await settleCurrent(context, loopId, { ...progress, path });
  const round = await beginNext(context, rules, { ...progress, path });
  showTasks(context, round.tasks);
  const taskFailures = forgetSettled(progress.taskFailures, round, rules.maxAttempts);
  if (round.type === "next") {
    const begun = { currentTask: round.task, iteration: progress.iteration + 1, shouldContinue: true, taskFailures };
    return progress.iteration === 0 ? { ...begun, ...NOT_ENDED } : begun;
  }
  const unfinishedTasks = explainUnfinished(round.tasks, taskFailures);
  if (round.type === "stuck" && unfinishedTasks.length > 0 && rules.onUnfinished === "fail") {
    throw new TasksUnfinishedError(loopId, path, unfinishedTasks);
  }
  return {
    currentTask: null,
    iteration: progress.iteration,
    shouldContinue: false,
    allTasksComplete: areTasksComplete(round.tasks),
    maxIterationsReached: round.type === "limit",
    taskFailures,
    unfinishedTasks,
  };
}

/** Publishes the list. */
export function showTasks({ emit }: Pick<ExecutionContext, "emit">, tasks: readonly Task[]): void {
  emit({ type: "tasks", tasks: tasks.map(({ id, name, status }) => ({ id, name, status })) });
}

/** Resets the fields that an earlier loop may have left. */
const NOT_ENDED: LoopUpdate = { allTasksComplete: false, maxIterationsReached: false, unfinishedTasks: [] };

/** Failures that another attempt cannot change: the work is done, and a person has to act. */
const FINAL_FAILURES: ReadonlySet<string> = new Set(["WORKTREE_NOT_MERGED"]);

/** The update for a current task whose nodes failed; `attempts` includes this one. */
export function noteTaskFailure(
  { currentTask, taskFailures }: LoopProgress,
  error: Error | undefined,
  { attempts, maxAttempts }: { readonly attempts: number; readonly maxAttempts: number },
): LoopUpdate {
  if (currentTask === null) return {};
  const message = (error?.message ?? "").slice(0, MAX_MESSAGE_LENGTH);
  const isFinal = error instanceof AtomicError && FINAL_FAILURES.has(error.code);
  return {
    currentTask: { ...currentTask, status: attempts < maxAttempts && !isFinal ? "pending" : "failing" },
    taskFailures: { ...taskFailures, [currentTask.id]: { attempts, message } },
  };
}

/** The path of the list. */
export function pathOf<State extends TaskLoopState>(
  { tasksPath }: RoundRules<State>,
  context: ExecutionContext<State>,
): string {
  const { state, services } = context;
  const path = typeof tasksPath === "function" ? tasksPath(state, context) : tasksPath;
  return services.workingDirectory === undefined ? path : resolve(services.workingDirectory, path);
}

/** Journals the outcome of the last task: a later attempt must not settle a task that it finds in progress (invariant 3). */
async function settleCurrent<State extends TaskLoopState>(
  { services, signal, step }: ExecutionContext<State>,
  loopId: string,
  { path, currentTask }: LoopProgress & { readonly path: string },
): Promise<void> {
  if (currentTask === null) return;
  const store = storeOf(services, loopId);
  await step("settled", async () => {
    await store.update(path, (tasks) => settleTask(tasks, currentTask), { signal });
    return currentTask.id;
  });
}

/** @throws MissingServiceError */
export function storeOf({ tasks }: ExecutionContext["services"], loopId: string): TaskStore {
  if (tasks === undefined) throw new MissingServiceError("tasks", loopId);
  return tasks;
}

async function beginNext<State extends TaskLoopState>(
  context: ExecutionContext<State>,
  rules: RoundRules<State>,
  { path, iteration }: LoopProgress & { readonly path: string },
): Promise<Round> {
  const { services, state, signal } = context;
  const { loopId, until, maxIterations } = rules;
  const store = storeOf(services, loopId);
  const select = (tasks: readonly Task[]): Task | undefined => selectFrom(tasks, rules);
  const isOver = (now: readonly Task[]): boolean =>
    until === undefined ? areTasksComplete(now) : immediate(until(state, now, context), "until", loopId);
  let round: Round = { type: "stuck", tasks: [] };
  await store.update(
    path,
    (tasks) => {
      round = planRound({ iteration, maxIterations, select, until: isOver, tasks });
      return round.tasks;
    },
    { signal },
  );
  return round;
}

/** The pending task to do next. @throws TaskNotSelectableError */
export function selectFrom<State extends TaskLoopState>(
  tasks: readonly Task[],
  { loopId, taskSelector = selectNextTask }: RoundRules<State>,
): Task | undefined {
  const chosen = immediate(taskSelector(tasks), "taskSelector", loopId);
  if (chosen === undefined) return undefined;
  const task = tasks.find(({ id, status }) => id === chosen.id && status === "pending");
  if (task === undefined) throw new TaskNotSelectableError(loopId, chosen.id);
  return task;
}

/** Drops the failures of a task that passed, and of one that failed for good and was started again. */
function forgetSettled(
  failures: LoopProgress["taskFailures"],
  round: Round,
  maxAttempts: number,
): Readonly<Record<string, TaskFailure>> {
  const settled = new Set(round.tasks.filter(({ status }) => status === "passing").map(({ id }) => id));
  const isKept = ([id, { attempts }]: readonly [string, TaskFailure]): boolean =>
    !settled.has(id) && !(round.type === "next" && round.task.id === id && attempts >= maxAttempts);
  const kept = Object.entries(failures).filter(isKept);
  return kept.length === Object.keys(failures).length ? failures : Object.fromEntries(kept);
}
