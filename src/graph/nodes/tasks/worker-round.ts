import type { Task } from "../../model/task-store.ts";
import type { TaskFailure } from "./task-loop-state.ts";

/*
 * Several workers share a list. The invariants of `task-round.ts` hold, the second one changed: a task in progress belongs
 * to the worker that its note names, in this process or after a restart. A note of another run, or none, is nobody's.
 */

/** What a loop with several workers notes in a task's `metadata.loop`. */
export interface TaskNote {
  /** How often it was started. */
  readonly attempts: number;
  /** The worker that has it: the run's id and a number. */
  readonly worker?: string;
  /** The id of the task that the worker has: a person may have copied the entry. */
  readonly task?: string;
  /** The error of the latest failed attempt. */
  readonly failure?: string;
}

/** The input of a worker's decision what to do next. */
export interface WorkerInput {
  readonly tasks: readonly Task[];
  readonly runId: string;
  /** Unique in the run, and the same after a restart. */
  readonly worker: string;
  /** The most starts of all workers together. */
  readonly maxIterations: number;
  readonly maxAttempts: number;
  readonly until: (tasks: readonly Task[]) => boolean;
  readonly select: (tasks: readonly Task[]) => Task | undefined;
}

/** A worker's task, or why it has none. `tasks` is the list to store. */
export type WorkerRound =
  | { readonly type: "next"; readonly tasks: readonly Task[]; readonly task: Task }
  /** The tasks in progress may make others ready. */
  | { readonly type: "wait" | "over"; readonly tasks: readonly Task[] };

/** What a task is while something is left to do for it. */
const OPEN: ReadonlySet<Task["status"]> = new Set(["pending", "in_progress"]);

/** The note in a task. */
export function noteOf({ id, metadata }: Task): TaskNote {
  const note = metadata?.loop;
  if (typeof note !== "object" || note === null) return { attempts: 0 };
  const { attempts, worker, task, failure } = note as Readonly<Record<string, unknown>>;
  if (typeof task === "string" && task !== id) return { attempts: 0 };
  return {
    attempts: typeof attempts === "number" && Number.isSafeInteger(attempts) && attempts > 0 ? attempts : 0,
    ...(typeof worker === "string" ? { worker } : {}),
    ...(typeof task === "string" ? { task } : {}),
    ...(typeof failure === "string" ? { failure } : {}),
  };
}

function withNote(task: Task, note: TaskNote): Task {
  return { ...task, metadata: { ...task.metadata, loop: note } };
}

function withoutWorker(task: Task): Task {
  const { worker: _worker, task: _task, ...note } = noteOf(task);
  return withNote(task, note);
}

/** The list at the start of a loop: nothing is in progress, and nobody has tried anything. */
export function resetTasks(tasks: readonly Task[]): readonly Task[] {
  return tasks.map(({ metadata, ...task }): Task => {
    const { loop, ...others } = metadata ?? {};
    const hasOthers = metadata !== undefined && (loop === undefined || Object.keys(others).length > 0);
    const status = task.status === "in_progress" ? "pending" : task.status;
    return { ...task, status, ...(hasOthers ? { metadata: others } : {}) };
  });
}

/** How often tasks were started, together. */
export function countStarts(tasks: readonly Task[]): number {
  return tasks.reduce((sum, task) => sum + noteOf(task).attempts, 0);
}

/** The failed attempts that the notes contain; an attempt in progress is none. */
export function failuresIn(tasks: readonly Task[]): Readonly<Record<string, TaskFailure>> {
  const failed = tasks.flatMap((task) => {
    const { attempts, failure } = noteOf(task);
    if (failure === undefined) return [];
    return [
      [task.id, { attempts: task.status === "in_progress" ? attempts - 1 : attempts, message: failure }] as const,
    ];
  });
  return Object.fromEntries(failed);
}

/** Decides what a worker does next. Called again with the list that it returned, it decides the same. */
export function planWorkerRound(input: WorkerInput): WorkerRound {
  const { runId, worker, until, select, maxIterations, maxAttempts } = input;
  const own = input.tasks.find((task) => task.status === "in_progress" && noteOf(task).worker === worker);
  if (own !== undefined) return { type: "next", tasks: input.tasks, task: own };
  // Also one whose status a person has changed: its worker has not ended.
  const isOthers = (task: Task): boolean => noteOf(task).worker?.startsWith(`${runId}:`) === true;
  const tasks = input.tasks.map((noted): Task => {
    // This worker has ended its task: somebody has put an old text of the file back.
    const task = noteOf(noted).worker === worker ? withoutWorker(noted) : noted;
    return task.status === "in_progress" && !isOthers(task) ? { ...task, status: "pending" } : task;
  });
  if (until(tasks)) return { type: "over", tasks };
  const isAwaited = (task: Task): boolean => isOthers(task) && OPEN.has(task.status);
  const chosen = select(tasks.map((task): Task => (isAwaited(task) ? { ...task, status: "in_progress" } : task)));
  // What others do starts nothing more.
  const isSpent = countStarts(tasks) >= maxIterations;
  if (chosen === undefined) return { type: !isSpent && tasks.some(isAwaited) ? "wait" : "over", tasks };
  if (isSpent) return { type: "over", tasks };
  const { attempts, failure } = noteOf(chosen);
  // Somebody has set a task that had failed for good to pending again: it gets all its attempts.
  const isFresh = attempts >= maxAttempts;
  const note = {
    attempts: isFresh ? 1 : attempts + 1,
    worker,
    task: chosen.id,
    ...(failure === undefined || isFresh ? {} : { failure }),
  };
  const task = withNote({ ...chosen, status: "in_progress" }, note);
  return { type: "next", task, tasks: tasks.map((other) => (other.id === chosen.id ? task : other)) };
}

/** The list with the outcome of a worker's task; `in_progress` means success. */
export function settleWorkersTask(
  tasks: readonly Task[],
  {
    current,
    worker,
    message,
  }: { readonly current: Task; readonly worker: string; readonly message: string | undefined },
): readonly Task[] {
  return tasks.map((task) => {
    const { attempts, worker: holder } = noteOf(task);
    // An editor of the file may leave the note out.
    if (task.id !== current.id || (holder ?? worker) !== worker) return task;
    const isPassing = current.status === "in_progress";
    const note = isPassing || message === undefined ? { attempts } : { attempts, failure: message };
    // Somebody has changed its status meanwhile: that stays.
    if (task.status !== "in_progress") return withNote(task, { attempts });
    return withNote({ ...task, status: isPassing ? "passing" : current.status }, note);
  });
}
