import type { Task, TaskStatus } from "../../model/task-store.ts";
import { annotation, type BaseState } from "../../state/annotation.ts";

/** The failed attempts at a task. */
export interface TaskFailure {
  readonly attempts: number;
  /** Of the latest attempt. */
  readonly message: string;
}

/** A task that a loop could not finish. */
export interface UnfinishedTask {
  readonly id: string;
  readonly name: string;
  readonly status: TaskStatus;
  /** Why it was not done, for people. */
  readonly reason: string;
}

/** The fields that a {@link taskLoopNode} reads and writes. */
export interface TaskLoopState extends BaseState {
  /** The task of this iteration; `null` outside of one. */
  readonly currentTask: Task | null;
  /** Counts iterations from 1. */
  readonly iteration: number;
  readonly shouldContinue: boolean;
  /** Whether every task is passing or skipped. */
  readonly allTasksComplete: boolean;
  readonly maxIterationsReached: boolean;
  /** By task id; a task that passed has no entry. */
  readonly taskFailures: Readonly<Record<string, TaskFailure>>;
  /** The tasks that were left when the loop ended. */
  readonly unfinishedTasks: readonly UnfinishedTask[];
}

/**
 * The fields of {@link TaskLoopState}, for a custom state.
 *
 * ```ts
 * const State = defineState({ ...taskLoopFields, notes: annotation<string[]>([], Reducers.concat) });
 * ```
 */
export const taskLoopFields = {
  currentTask: annotation<Task | null>(null),
  iteration: annotation(0),
  shouldContinue: annotation(false),
  allTasksComplete: annotation(false),
  maxIterationsReached: annotation(false),
  taskFailures: annotation<Readonly<Record<string, TaskFailure>>>({}),
  unfinishedTasks: annotation<readonly UnfinishedTask[]>([]),
};

/** The failed attempts at a task. An id can be the name of a method of all objects. */
export function failureOf(failures: TaskLoopState["taskFailures"], taskId: string): TaskFailure | undefined {
  return Object.hasOwn(failures, taskId) ? failures[taskId] : undefined;
}
