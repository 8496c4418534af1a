import type { Task, TaskStatus } from "../../model/task-store.ts";
import { annotation, type BaseState } from "../../state/annotation.ts";

/** What went wrong in the attempts at a task. */
export interface TaskFailure {
  readonly attempts: number;
  /** Of the latest. */
  readonly message: string;
}

/** A task that a loop had to leave undone. */
export interface UnfinishedTask {
  readonly id: string;
  readonly name: string;
  readonly status: TaskStatus;
  /** Why it was not done, for people. */
  readonly reason: string;
}

/** What a {@link taskLoopNode} reads and writes in the state. */
export interface TaskLoopState extends BaseState {
  /** The task of this iteration; `null` outside of one. */
  readonly currentTask: Task | null;
  /** Counts iterations from 1. */
  readonly iteration: number;
  readonly shouldContinue: boolean;
  /** Every task is passing or skipped. */
  readonly allTasksComplete: boolean;
  readonly maxIterationsReached: boolean;
  /** By the id of the task; a task that passed has none. */
  readonly taskFailures: Readonly<Record<string, TaskFailure>>;
  /** What was left when the loop ended. */
  readonly unfinishedTasks: readonly UnfinishedTask[];
}

/**
 * The fields of {@link TaskLoopState}, for a state of one's own.
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
