/** The status of a task. */
export type TaskStatus = "pending" | "in_progress" | "passing" | "failing" | "skipped";

/** One piece of work. */
export interface Task {
  /** Unique in its list. */
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly status: TaskStatus;
  /** Lower numbers come first; a task without a priority comes last. */
  readonly priority?: number;
  /** The tasks that must pass first. */
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
   * Calls `edit` with the current tasks, stores its result, and returns that. Concurrent changes are not lost: `edit` is
   * called again with them, so it must be pure. If it throws, the list stays unchanged.
   *
   * @throws an error that says what to do when the list is missing or broken
   */
  update(
    path: string,
    edit: (tasks: readonly Task[]) => readonly Task[],
    options?: UpdateTasksOptions,
  ): Promise<readonly Task[]>;
  /**
   * Resolves when the list is not as in `tasks`, at once if it is not already: for workers that wait for others, and for
   * people. Rejects with the signal's reason, and as {@link update}.
   */
  changed(path: string, tasks: readonly Task[], options?: UpdateTasksOptions): Promise<void>;
}
