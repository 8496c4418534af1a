import { z } from "zod";
import { AtomicError, nearestName } from "../../contracts/index.ts";
import type { Task, TaskStatus } from "../../graph/index.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import { parseJson } from "../session-store/parse-json.ts";
import { findTaskProblems } from "./find-task-problems.ts";
import { createTasks, type Feature } from "./migrate-feature-list.ts";
import type { TasksFile } from "./task.ts";

/** A session of an earlier version of Ralph is invalid. */
export class RalphSessionError extends AtomicError {
  constructor(
    readonly path: string,
    /** The problems, one sentence each. */
    readonly problems: readonly string[],
  ) {
    super(
      "RALPH_SESSION_INVALID",
      [`The old session ${path} cannot be converted. Correct the following:`, ...problems].join("\n  - "),
    );
  }
}

/** What earlier versions called a status. A failed task is attempted again, and nobody works on one in progress. */
const STATUSES: Readonly<Record<string, TaskStatus>> = {
  pending: "pending",
  in_progress: "pending",
  failing: "pending",
  passing: "passing",
  completed: "passing",
  skipped: "skipped",
};

const idSchema = z.union([z.string().trim().min(1), z.number()], "expected a string or a number");

/** A feature of the first versions, or a task of later ones. Other fields were of use to the old loop only. */
const oldTaskSchema = z
  .object({
    id: idSchema.exactOptional(),
    name: z.string().exactOptional(),
    description: z.string().exactOptional(),
    content: z.string().exactOptional(),
    category: z.string().exactOptional(),
    status: z.string().default("pending"),
    passes: z.boolean().exactOptional(),
    acceptanceCriteria: z.array(z.string()).exactOptional(),
    steps: z.array(z.string()).exactOptional(),
    error: z.string().exactOptional(),
    dependencies: z.array(idSchema).exactOptional(),
    blockedBy: z.array(idSchema).exactOptional(),
  })
  .superRefine((task, check) => {
    if (textsOf(task).length === 0) check.addIssue({ code: "custom", message: "has no name, description or content" });
    if (Object.hasOwn(STATUSES, task.status)) return;
    const nearest = nearestName(task.status, Object.keys(STATUSES));
    const known = nearest === undefined ? `known: ${Object.keys(STATUSES).join(", ")}` : `did you mean "${nearest}"?`;
    check.addIssue({ code: "custom", path: ["status"], message: `unknown status "${task.status}", ${known}` });
  });

type OldTask = z.infer<typeof oldTaskSchema>;

const oldSessionSchema = z.object({
  features: z.array(oldTaskSchema).exactOptional(),
  tasks: z.array(oldTaskSchema).exactOptional(),
  /** What was wanted, where the session began with a prompt. */
  yoloPrompt: z.unknown().optional(),
});

/** Settings of {@link migrateRalphSession}. */
export interface MigrateRalphSessionOptions {
  /** For errors. */
  readonly path: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/**
 * Converts the text of a `session.json` of `.ralph/sessions/`, where earlier versions of Ralph kept their runs, to the content of
 * a `tasks.json`. The prompt of a session becomes the list's `goal`. What was done stays `passing`; everything else is `pending`, with the criteria and the last error in its
 * description.
 *
 * ```ts
 * const tasks = migrateRalphSession(await readFile(path, "utf8"), { path });
 * await saveTasks("tasks.json", tasks);
 * ```
 *
 * @throws RalphSessionError with all problems
 */
export function migrateRalphSession(
  text: string,
  { path, clock = Date.now }: MigrateRalphSessionOptions,
): TasksFile & { readonly tasks: readonly Task[] } {
  const json = parseJson(text);
  if (json.type === "error") throw new RalphSessionError(path, [`${json.message}.`]);
  const { success, data, error } = oldSessionSchema.safeParse(json.value);
  if (!success)
    throw new RalphSessionError(
      path,
      describeIssues(error).map((issue) => `${issue}.`),
    );
  const { features = [], tasks: todos = [] } = data;
  const tasks = createTasks((features.length === 0 ? todos : features).map(featureOf));
  const problems = tasks.length === 0 ? ["It has no tasks."] : findTaskProblems(tasks);
  if (problems.length > 0) throw new RalphSessionError(path, problems);
  const now = new Date(clock()).toISOString();
  const goal = typeof data.yoloPrompt === "string" ? data.yoloPrompt.trim() : "";
  return {
    version: "1.0",
    ...(goal === "" ? {} : { goal }),
    tasks,
    metadata: { createdAt: now, updatedAt: now, source: "migrated" },
  };
}

/** What a task says, its name first. */
function textsOf({ name = "", description = "", content = "" }: Partial<OldTask>): readonly string[] {
  return [...new Set([name.trim(), content.trim(), description.trim()])].filter((text) => text !== "");
}

function featureOf(task: OldTask): Feature {
  const { id, category, status, passes, acceptanceCriteria, steps = [], error = "", dependencies, blockedBy } = task;
  const criteria = acceptanceCriteria ?? steps;
  const links = [...new Set([...(dependencies ?? []), ...(blockedBy ?? [])])];
  const isDone = passes ?? STATUSES[status] === "passing";
  const description = [
    ...textsOf(task),
    ...(criteria.length === 0 ? [] : [["It is done when:", ...criteria.map((one) => `- ${one}`)].join("\n")]),
    ...(isDone || error.trim() === "" ? [] : [`An earlier attempt failed: ${error.trim()}`]),
  ].join("\n\n");
  return {
    ...(id === undefined ? {} : { id }),
    description,
    ...(category === undefined ? {} : { category }),
    status: isDone ? "passing" : passes === false ? "pending" : STATUSES[status],
    ...(links.length === 0 ? {} : { dependencies: links }),
  };
}
