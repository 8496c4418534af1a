import { EventEmitter } from "node:events";
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { AtomicError } from "../../contracts/index.ts";
import type { Task, TaskStore, UpdateTasksOptions } from "../../graph/index.ts";
import { findTaskProblems } from "./find-task-problems.ts";
import type { TasksFile } from "./task.ts";
import {
  parseTasks,
  readTasksText,
  type SaveTasksOptions,
  saveTasks,
  TasksFileError,
  TasksFileNotFoundError,
} from "./tasks-file.ts";
import { withListLease } from "./with-list-lease.ts";

/** How often a list is looked at while a caller waits for somebody else to change it, in milliseconds. */
const POLL_MS = 1_000;
/** How many times an update is attempted while others keep changing the file. */
const MAX_TRIES = 20;

/** Others kept changing a list of tasks during an update. */
export class TasksFileBusyError extends AtomicError {
  constructor(readonly path: string) {
    super(
      "TASKS_FILE_BUSY",
      `The list of tasks ${path} was changed by somebody else ${MAX_TRIES} times while it was being updated. Find out what writes it, stop that, then try again.`,
    );
  }
}

/**
 * Stores lists of tasks in `tasks.json` files. Writers that use a store wait for each other, even across processes. If a
 * person's editor or an agent writes the file during an update, the update is repeated. The file itself must not be a link.
 *
 * ```ts
 * await workflow.run({}, { services: { clients, tasks: createTaskStore() } });
 * ```
 */
export function createTaskStore(options: Pick<SaveTasksOptions, "clock"> = {}): TaskStore {
  const updates = new EventEmitter().setMaxListeners(0);
  return {
    async update(path, edit, { signal }: UpdateTasksOptions = {}) {
      const file = await realOf(path);
      const wait = signal === undefined ? {} : { signal };
      const tasks = await withListLease(file, () => updateTasks(file, edit, options), wait);
      updates.emit(file);
      return tasks;
    },
    async changed(path, tasks, { signal }: UpdateTasksOptions = {}) {
      const file = await realOf(path);
      for (let isReadable = true; ; ) {
        signal?.throwIfAborted();
        const told = new AbortController();
        const wake = (): void => told.abort();
        // Before the list is read, so that no update is missed.
        updates.once(file, wake);
        try {
          const wasReadable = isReadable;
          const now = await readList(file);
          isReadable = now !== undefined;
          if (now === undefined ? !wasReadable : !isDeepStrictEqual(now, tasks)) return;
          await sleep(POLL_MS, undefined, { signal: AbortSignal.any([told.signal, ...(signal ? [signal] : [])]) });
        } catch (error) {
          if (!told.signal.aborted) throw signal?.aborted ? signal.reason : error;
        } finally {
          updates.off(file, wake);
        }
      }
    },
  };
}

/** The tasks of a list; nothing while somebody writes it. */
async function readList(path: string): Promise<readonly Task[] | undefined> {
  try {
    return parseTasks(await readItself(path), path).tasks;
  } catch (error) {
    if (error instanceof TasksFileError) return undefined;
    throw error;
  }
}

/** The file at the path: an agent that can write the list can replace it by a link to any file. */
async function readItself(path: string): Promise<string> {
  return await readTasksText(path, { followsLink: false });
}

/** The path of a list without links to its folder. @throws TasksFileNotFoundError */
async function realOf(path: string): Promise<string> {
  try {
    const file = join(await realpath(dirname(path)), basename(path));
    await lstat(file);
    return file;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new TasksFileNotFoundError(path, { cause: error });
    throw error;
  }
}

class ChangedMeanwhile extends Error {}

/** How often, and after which pauses in milliseconds, a list that cannot be used is read again: somebody may be saving it. */
const PAUSES_MS = [100, 400];

/** Reads a list that nobody is in the middle of saving. @throws TasksFileError */
async function readSettled(path: string): Promise<{ readonly text: string; readonly file: TasksFile }> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const text = await readItself(path);
    try {
      return { text, file: parseTasks(text, path) };
    } catch (error) {
      if (pauseMs === undefined || !(error instanceof TasksFileError)) throw error;
      await sleep(pauseMs);
    }
  }
  throw new TasksFileBusyError(path);
}

async function updateTasks(
  path: string,
  edit: Parameters<TaskStore["update"]>[1],
  options: SaveTasksOptions,
): Promise<readonly Task[]> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { text, file } = await readSettled(path);
    const tasks = edit(file.tasks);
    if (isDeepStrictEqual(tasks, file.tasks)) return tasks;
    const problems = findTaskProblems(tasks);
    if (problems.length > 0) throw new TasksFileError(path, problems);
    const assertUnchanged = async (): Promise<void> => {
      if ((await readItself(path)) !== text) throw new ChangedMeanwhile();
    };
    try {
      await saveTasks(path, { ...file, tasks }, { ...options, beforeReplace: assertUnchanged });
      return tasks;
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
  }
  throw new TasksFileBusyError(path);
}
