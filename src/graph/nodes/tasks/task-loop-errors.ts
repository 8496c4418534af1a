import { AtomicError } from "../../../contracts/index.ts";
import type { UnfinishedTask } from "./task-loop-state.ts";

/** Tasks are left that cannot be begun. */
export class TasksUnfinishedError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly path: string,
    readonly unfinished: readonly UnfinishedTask[],
  ) {
    const list = unfinished.map(({ id, reason }) => `${id} (${reason})`).join(", ");
    super(
      "TASKS_UNFINISHED",
      `The tasks of "${loopId}" are not done, and none of them can be begun: ${list}. Correct ${path}, for example by setting a task back to "pending" or to "skipped", then resume the run.`,
    );
  }
}

/** A `taskSelector` chose what cannot be begun. */
export class TaskNotSelectableError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly taskId: string,
  ) {
    super(
      "TASK_NOT_SELECTABLE",
      `The taskSelector of "${loopId}" chose "${taskId}", which is not a pending task of the list. Return one of the pending tasks it is given, or undefined.`,
    );
  }
}
