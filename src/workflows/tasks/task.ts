import { z } from "zod";
import type { Task } from "../../graph/index.ts";

/** The content of a `tasks.json`. */
export interface TasksFile {
  readonly version: "1.0";
  /** What the tasks are for, in full. */
  readonly goal?: string;
  readonly tasks: readonly Task[];
  readonly metadata?: {
    /** ISO 8601. */
    readonly createdAt: string;
    /** ISO 8601. */
    readonly updatedAt: string;
    /** Where the tasks come from: `spec`, `manual`, `generated`. */
    readonly source?: string;
  };
}

/** The status of a task. */
export const taskStatusSchema = z.enum(["pending", "in_progress", "passing", "failing", "skipped"]);

const taskShape = {
  id: z.string().min(1).describe("Unique identifier, for example 1"),
  name: z.string().min(1).describe("What is to be done, in a few words"),
  description: z.string().exactOptional().describe("What is to be done, in full"),
  status: taskStatusSchema.default("pending"),
  priority: z.number().exactOptional().describe("Tasks with a lower number come first"),
  dependencies: z.array(z.string()).exactOptional().describe("The ids of the tasks that must be done before"),
  metadata: z.record(z.string(), z.unknown()).exactOptional(),
};

/** The fields of a task. */
export const TASK_FIELDS: readonly string[] = Object.keys(taskShape);

/** A task in an agent's answer. A missing status is `pending`. Unknown fields are left out. */
export const taskSchema = z.object(taskShape);

/**
 * The schema of an answer with a list of tasks. An object, because agents cannot answer with a bare list. It does not check
 * dependencies: see `findTaskProblems`.
 */
export const taskListSchema = z.object({ tasks: z.array(taskSchema).describe("The tasks in the order of work") });

/** A `tasks.json`. Unlike in an answer, unknown fields are kept: they are somebody's notes. */
export const tasksFileSchema = z.looseObject({
  version: z.literal("1.0"),
  goal: z.string().exactOptional(),
  tasks: z.array(z.looseObject(taskShape)),
  metadata: z
    .looseObject({ createdAt: z.string(), updatedAt: z.string(), source: z.string().exactOptional() })
    .exactOptional(),
});
