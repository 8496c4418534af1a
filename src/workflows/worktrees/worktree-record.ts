import { readFile } from "node:fs/promises";
import { z } from "zod";
import { writeJsonAtomically } from "../session-store/atomic-write.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import { parseJson } from "../session-store/parse-json.ts";
import { WorktreeRecordError, WorktreeUnknownError } from "./worktree-errors.ts";

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);

const recordSchema = z.looseObject({
  version: z.literal(1),
  runId: z.string(),
  taskId: z.string(),
  /** The top of the worktree. */
  path: z.string(),
  /** The project's folder and its path below the top. */
  project: z.string(),
  subfolder: z.string(),
  /** The git folder that all worktrees of the repository share. */
  commonDir: z.string(),
  branch: z.string(),
  baseCommit: commit,
  targetBranch: z.string().optional(),
  /**
   * `creating`: nobody has had it yet. `unprepared`: its set-up failed, and a person may have corrected it there. `removing`:
   * nothing in it is needed.
   */
  state: z.enum(["creating", "unprepared", "ready", "removing"]),
  ports: z.array(z.number().int()),
  warnings: z.array(z.string()),
  /** Digests of the ignored files when the worktree was created or its set-up failed, by path. */
  ignored: z.record(z.string(), z.string()),
  /** The last merge that was computed: of `branch` into `target`, both commits. */
  merge: z.object({ target: commit, branch: commit, commit: commit.optional() }).optional(),
  /** The commit that the last merge left on the branch. */
  unmerged: commit.optional(),
  createdAt: z.string(),
});

/** What Atomic knows of a worktree. Its file is next to the worktree's folder. */
export type WorktreeRecord = Readonly<z.infer<typeof recordSchema>>;

/** Reads a record. @throws WorktreeUnknownError, WorktreeRecordError */
export async function loadRecord(path: string): Promise<WorktreeRecord> {
  const record = await findRecord(path);
  if (record === undefined) throw new WorktreeUnknownError(path);
  return record;
}

/** Reads a record; undefined if there is none. @throws WorktreeRecordError */
export async function findRecord(path: string): Promise<WorktreeRecord | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  return parseStored(text, { path, schema: recordSchema });
}

/** Replaces a record atomically. */
export async function saveRecord(path: string, record: WorktreeRecord): Promise<void> {
  await writeJsonAtomically(path, record);
}

/** Parses a file of Atomic's. @throws WorktreeRecordError */
export function parseStored<T>(text: string, options: { readonly path: string; readonly schema: z.ZodType<T> }): T {
  const { path, schema } = options;
  const json = parseJson(text);
  if (json.type === "error") throw new WorktreeRecordError(path, [json.message]);
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) throw new WorktreeRecordError(path, describeIssues(parsed.error), { cause: parsed.error });
  return parsed.data;
}
