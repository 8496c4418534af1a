/** Where a task stands. */
export type TaskStatus = "pending" | "in_progress" | "passing" | "failing" | "skipped";

/** One piece of work. */
export interface Task {
  /** Unique in its list. */
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly status: TaskStatus;
  /** The lower, the earlier; a task without comes last. */
  readonly priority?: number;
  /** The tasks that must be passing first. */
  readonly dependencies?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Settings of {@link TaskStore.update}. */
export interface UpdateTasksOptions {
  /** Ends the wait for other writers. */
  readonly signal?: AbortSignal;
}

/** Keeps lists of tasks, each under its path. People and agents may change a list at any time. */
export interface TaskStore {
  /**
   * Gives `edit` the tasks as they are now, keeps what it returns, and returns that. What others write meanwhile is not
   * lost: `edit` is asked again then, so that it must be pure. What it throws leaves the list as it was.
   *
   * @throws an error that says what to do when there is no such list, or a broken one
   */
  update(
    path: string,
    edit: (tasks: readonly Task[]) => readonly Task[],
    options?: UpdateTasksOptions,
  ): Promise<readonly Task[]>;
}
