import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { AtomicError, nearestName } from "../../contracts/index.ts";
import { writeJsonAtomically } from "../session-store/atomic-write.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import { parseJson } from "../session-store/parse-json.ts";
import type { TaskLinks } from "./find-dependency-cycle.ts";
import { findTaskProblems } from "./find-task-problems.ts";
import { TASK_FIELDS, type TasksFile, tasksFileSchema } from "./task.ts";

/** A list of tasks is invalid. */
export class TasksFileError extends AtomicError {
  constructor(
    readonly path: string,
    /** The problems, one sentence each. */
    readonly problems: readonly string[],
    options?: { readonly cause?: unknown },
  ) {
    super(
      "TASKS_FILE_INVALID",
      [`The list of tasks ${path} cannot be used. Correct the following:`, ...problems].join("\n  - "),
      options,
    );
  }
}

/** There is no list of tasks at this path. */
export class TasksFileNotFoundError extends AtomicError {
  constructor(
    readonly path: string,
    options?: { readonly cause?: unknown },
  ) {
    super("TASKS_FILE_NOT_FOUND", `There is no list of tasks at ${path}. Create it, or give another path.`, options);
  }
}

/**
 * Reads the text of a `tasks.json`. `path` is for the error only. Fields it does not know are kept: they are somebody's notes,
 * unless their name is almost that of a known one.
 * @throws TasksFileError with all problems of the shape and of the dependencies
 */
export function parseTasks(text: string, path: string): TasksFile {
  const json = parseJson(text);
  if (json.type === "error") throw new TasksFileError(path, [`${json.message}.`]);
  const parsed = tasksFileSchema.safeParse(json.value);
  const shapeProblems = parsed.success ? [] : describeIssues(parsed.error).map((issue) => `${issue}.`);
  const problems = [...shapeProblems, ...findMisspelledFields(json.value), ...findTaskProblems(readLinks(json.value))];
  if (!parsed.success || problems.length > 0) throw new TasksFileError(path, problems, { cause: parsed.error });
  return parsed.data;
}

/** From this length on, a few different letters are a slip rather than another word. */
const MIN_MISSPELLED_LENGTH = 7;

function findMisspelledFields(value: unknown): readonly string[] {
  const tasks = fieldOf(value, "tasks");
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task: unknown, index) => {
    if (typeof task !== "object" || task === null) return [];
    return Object.keys(task).flatMap((field) => {
      const meant = TASK_FIELDS.includes(field) ? undefined : meantField(field);
      if (meant === undefined || meant in task) return [];
      return `The task at ${index + 1} has an unknown field "${field}". Did you mean "${meant}"?`;
    });
  });
}

/** The known field whose letters these are, in another order, or that a long name is near to. */
function meantField(field: string): string | undefined {
  const lettersOf = (name: string): string => [...name].sort().join("");
  const swapped = TASK_FIELDS.find((known) => lettersOf(known) === lettersOf(field));
  return swapped ?? (field.length < MIN_MISSPELLED_LENGTH ? undefined : nearestName(field, TASK_FIELDS));
}

/** The readable ids and dependencies of a value, so errors in its shape do not hide other problems. */
function readLinks(value: unknown): readonly TaskLinks[] {
  const tasks = fieldOf(value, "tasks");
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task: unknown) => {
    const id = fieldOf(task, "id");
    const dependencies = fieldOf(task, "dependencies");
    if (typeof id !== "string") return [];
    return {
      id,
      dependencies: Array.isArray(dependencies) ? dependencies.filter((item) => typeof item === "string") : [],
    };
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** Reads a `tasks.json`. @throws TasksFileNotFoundError, TasksFileError */
export async function loadTasks(path: string): Promise<TasksFile> {
  return parseTasks(await readTasksText(path), path);
}

const IS_LINK = "It is a link, and Atomic writes through none: put the file itself in its place, or name that file.";
const IS_NO_FILE = "It is not a regular file: put a file in its place.";

/**
 * Reads the text of a `tasks.json`, and waits for nobody: a pipe in its place is an error. Follows a link only with `followsLink`.
 *
 * @throws TasksFileNotFoundError, TasksFileError
 */
export async function readTasksText(
  path: string,
  { followsLink = true }: { readonly followsLink?: boolean } = {},
): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followsLink ? 0 : constants.O_NOFOLLOW);
  const file = await open(path, flags).catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT") throw new TasksFileNotFoundError(path, { cause });
    if (code === "ELOOP") throw new TasksFileError(path, [IS_LINK], { cause });
    // A socket.
    if (code === "ENXIO") throw new TasksFileError(path, [IS_NO_FILE], { cause });
    throw cause;
  });
  try {
    if (!(await file.stat()).isFile()) throw new TasksFileError(path, [IS_NO_FILE]);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Settings of {@link saveTasks}. */
export interface SaveTasksOptions {
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
  /** As in `WriteFileOptions`. */
  readonly beforeReplace?: () => Promise<void>;
}

/**
 * Replaces a `tasks.json` atomically, sets `metadata.updatedAt` if there is metadata, and returns what was written. An
 * existing file keeps its permissions; a new one is for its owner only. Follows no link: an agent that can write the file
 * can replace it by one.
 * @throws TasksFileError for a link
 */
export async function saveTasks(
  path: string,
  file: TasksFile,
  { clock = Date.now, beforeReplace }: SaveTasksOptions = {},
): Promise<TasksFile> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink()) throw new TasksFileError(path, [IS_LINK]);
  const metadata = file.metadata && { ...file.metadata, updatedAt: new Date(clock()).toISOString() };
  const saved: TasksFile = { ...file, ...(metadata && { metadata }) };
  await writeJsonAtomically(path, saved, {
    ...(found === undefined ? {} : { mode: found.mode & 0o777 }),
    ...(beforeReplace === undefined ? {} : { beforeReplace }),
  });
  return saved;
}
