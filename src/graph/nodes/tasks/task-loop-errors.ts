import { AtomicError } from "../../../contracts/index.ts";
import type { UnfinishedTask } from "./task-loop-state.ts";

/** Unfinished tasks are left, and none can start. */
export class TasksUnfinishedError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly path: string,
    readonly unfinished: readonly UnfinishedTask[],
  ) {
    const list = unfinished.map(({ id, reason }) => `${id} (${reason})`).join(", ");
    super(
      "TASKS_UNFINISHED",
      `The tasks of "${loopId}" are not done, and none of them can start: ${list}. Correct ${path}, for example by setting a task to "pending" or "skipped", then resume the run.`,
    );
  }
}

/** A `taskSelector` chose a task that cannot start. */
export class TaskNotSelectableError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly taskId: string,
  ) {
    super(
      "TASK_NOT_SELECTABLE",
      `The taskSelector of "${loopId}" chose "${taskId}", which is not a pending task of the list. Return one of the pending tasks that it receives, or undefined.`,
    );
  }
}

/** The `maxConcurrency` of a loop returned something that is no number of workers. */
export class TaskLoopWorkersError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly workerCount: unknown,
  ) {
    super(
      "TASK_LOOP_WORKERS",
      `The maxConcurrency of "${loopId}" returned ${String(workerCount)}. Return a whole number from 1.`,
    );
  }
}
