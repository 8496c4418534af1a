import { z } from "zod";
import { AtomicError } from "../../contracts/index.ts";
import type { Task } from "../../graph/index.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import { parseJson } from "../session-store/parse-json.ts";
import { findTaskProblems } from "./find-task-problems.ts";
import { type TasksFile, taskStatusSchema } from "./task.ts";

/** A `feature-list.json` is invalid. */
export class FeatureListError extends AtomicError {
  constructor(
    readonly path: string,
    /** The problems, one sentence each. */
    readonly problems: readonly string[],
  ) {
    super(
      "FEATURE_LIST_INVALID",
      [`The feature list ${path} cannot be converted. Correct the following:`, ...problems].join("\n  - "),
    );
  }
}

/** A feature of the old list. Its other fields are kept in the task's `metadata`. */
const featureSchema = z.looseObject({
  description: z.string().trim().min(1),
  category: z.string().exactOptional(),
  steps: z.array(z.string()).exactOptional(),
  passes: z.boolean().exactOptional(),
});

/** A feature of an old list. */
export type Feature = z.infer<typeof featureSchema>;

const featureListSchema = z.array(featureSchema);

/** Some lists have an object around them. */
const wrappedListSchema = z.looseObject({ features: featureListSchema }).transform(({ features }) => features);

/** Settings of {@link migrateFeatureList}. */
export interface MigrateFeatureListOptions {
  /** For errors. */
  readonly path: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/**
 * Converts the text of a `feature-list.json`, the list of earlier versions, to the content of a `tasks.json`: each feature
 * becomes a task in the same order, `passing` if it passes. Ids, dependencies on them and the status of a `tasks.json` are
 * kept. Category and steps are in the task's description, which agents read, and with all other fields in its `metadata`.
 *
 * ```ts
 * const tasks = migrateFeatureList(await readFile(path, "utf8"), { path });
 * await saveTasks("research/tasks.json", tasks);
 * ```
 *
 * @throws FeatureListError with all problems
 */
export function migrateFeatureList(
  text: string,
  { path, clock = Date.now }: MigrateFeatureListOptions,
): TasksFile & { readonly tasks: readonly Task[] } {
  const json = parseJson(text);
  if (json.type === "error") throw new FeatureListError(path, [`${json.message}.`]);
  const parsed = (Array.isArray(json.value) ? featureListSchema : wrappedListSchema).safeParse(json.value);
  if (!parsed.success)
    throw new FeatureListError(
      path,
      describeIssues(parsed.error).map((issue) => `${issue}.`),
    );
  const tasks = createTasks(parsed.data);
  const problems = findTaskProblems(tasks);
  if (problems.length > 0) throw new FeatureListError(path, problems);
  const now = new Date(clock()).toISOString();
  return {
    version: "1.0",
    tasks,
    metadata: { createdAt: now, updatedAt: now, source: "migrated" },
  };
}

/** The longest name of a task, in characters; a longer description is kept whole beside it. */
const MAX_NAME_LENGTH = 200;

/**
 * The tasks of features, with numbers where ids are missing. Dependencies of a list without ids name nothing that is known,
 * so they stay notes.
 */
export function createTasks(features: readonly Feature[]): readonly Task[] {
  const ids = features.map(({ id }) => textOf(id));
  const taken = new Set(ids);
  const hasIds = ids.some((id) => id !== undefined);
  let next = 0;
  return features.map((feature, index) => {
    const { id: _id, ...rest } = feature;
    const own = ids[index];
    if (own !== undefined) return taskOf(own, rest, hasIds);
    do next++;
    while (taken.has(String(next)));
    return taskOf(String(next), feature, hasIds);
  });
}

function taskOf(id: string, feature: Feature, hasIds: boolean): Task {
  const { description, passes, status, dependencies, ...others } = feature;
  const { category, steps = [] } = others;
  const known = passes === undefined ? taskStatusSchema.safeParse(status).data : undefined;
  const links = hasIds ? linksOf(dependencies) : undefined;
  const metadata = {
    ...others,
    ...(status === undefined || known !== undefined ? {} : { status }),
    ...(dependencies === undefined || links !== undefined ? {} : { dependencies }),
  };
  const [firstLine = description] = description.split("\n");
  const name = firstLine.length <= MAX_NAME_LENGTH ? firstLine : `${firstLine.slice(0, MAX_NAME_LENGTH - 1)}…`;
  const about = [
    ...(name === description ? [] : [description]),
    ...(category === undefined ? [] : [`Category: ${category}`]),
    ...(steps.length === 0 ? [] : [["Steps:", ...steps.map((step) => `- ${indented(step)}`)].join("\n")]),
  ];
  return {
    id,
    name,
    ...(about.length === 0 ? {} : { description: about.join("\n\n") }),
    status: passes === true ? "passing" : statusOf(known),
    ...(links === undefined ? {} : { dependencies: links }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** A step of several lines stays one item of a list. */
function indented(step: string): string {
  return step.trim().replaceAll("\n", "\n  ");
}

/** Nobody works on a task of a list that was just written. */
function statusOf(status: Task["status"] = "pending"): Task["status"] {
  return status === "in_progress" ? "pending" : status;
}

function linksOf(dependencies: unknown): readonly string[] | undefined {
  if (!Array.isArray(dependencies)) return undefined;
  const ids = dependencies.map(textOf).filter((id) => id !== undefined);
  return ids.length === dependencies.length ? ids : undefined;
}

/** An id, which may be a number. */
function textOf(id: unknown): string | undefined {
  if (typeof id === "number") return String(id);
  return typeof id === "string" && id.trim() !== "" ? id.trim() : undefined;
}
