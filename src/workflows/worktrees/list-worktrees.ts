import { existsSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf } from "../../contracts/index.ts";
import { realPathOf } from "../../discovery/index.ts";
import { Git, type GitOptions } from "./git.ts";
import { inspectWorktree, type WorktreeFinding } from "./inspect-worktree.ts";
import { worktreesFolder, worktreesHome } from "./worktree-names.ts";
import { loadRecord, type WorktreeRecord } from "./worktree-record.ts";

/** Which worktrees are meant. */
export interface WorktreeScope extends GitOptions {
  /** The folder of Atomic. */
  readonly home: string;
  /** Only the worktrees of this project. @default all projects */
  readonly project?: string;
  /** The folder that holds them, if `createWorktree` was called with one. */
  readonly folder?: string;
}

/** Settings of {@link listWorktrees}. */
export interface ListWorktreesOptions extends WorktreeScope {
  /** Whether a run can still work in its worktrees: it is in progress, or suspended. */
  readonly isRunAlive: (runId: string) => boolean | Promise<boolean>;
  /** Whether a run that is neither can be resumed, which continues in its worktrees. @default none can */
  readonly isRunResumable?: (runId: string) => boolean | Promise<boolean>;
}

/** Something in a folder of worktrees. */
export interface WorktreeEntry {
  /** For commands and lists, for example `shop-1a2b3c4d/run1.login`. */
  readonly name: string;
  readonly path: string;
  /** Missing if Atomic knows nothing of it. */
  readonly runId?: string;
  readonly taskId?: string;
  readonly branch?: string;
  /** Why it is kept. Empty: `collectWorktrees` removes it. */
  readonly findings: readonly WorktreeFinding[];
}

/** An entry with what a removal needs. */
export interface LocatedEntry {
  readonly entry: WorktreeEntry;
  /** The record's file, which may not exist. */
  readonly file: string;
  readonly record: WorktreeRecord | undefined;
}

/**
 * Lists the worktrees of a project, or of all, with the reasons to keep each; by name. Changes nothing.
 *
 * @throws GitMissingError, GitTooOldError; the signal's reason
 */
export async function listWorktrees(options: ListWorktreesOptions): Promise<readonly WorktreeEntry[]> {
  const git = await Git.open(options);
  const entries: WorktreeEntry[] = [];
  for (const place of await findPlaces(options)) entries.push((await inspectPlace(git, place, options)).entry);
  return entries;
}

/** A name in a folder of worktrees. */
export interface WorktreePlace {
  readonly name: string;
  readonly path: string;
  readonly file: string;
}

/** All names in the folders of worktrees. Names with a dot in front are Atomic's own. */
export async function findPlaces(options: WorktreeScope): Promise<readonly WorktreePlace[]> {
  const places: WorktreePlace[] = [];
  for (const folder of await findFolders(options)) {
    const found = (await readdir(folder)).filter((name) => !name.startsWith("."));
    const names = new Set(found.map((name) => name.replace(/\.json$/, "")));
    for (const name of [...names].sort()) {
      places.push({
        name: `${basename(folder)}/${name}`,
        path: join(folder, name),
        file: join(folder, `${name}.json`),
      });
    }
  }
  return places;
}

/** The existing folders that hold worktrees, without links in their paths. */
export async function findFolders({ home, project, folder }: WorktreeScope): Promise<readonly string[]> {
  const one = folder ?? (project === undefined ? undefined : worktreesFolder(home, realPathOf(project)));
  if (one !== undefined) return existsSync(one) ? [realPathOf(one)] : [];
  if (!existsSync(worktreesHome(home))) return [];
  const top = realPathOf(worktreesHome(home));
  const entries = await readdir(top, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [join(top, entry.name)] : [])).sort();
}

/** What is at a place, with the reasons to keep it. Does not throw for a broken one. */
export async function inspectPlace(
  git: Git,
  place: WorktreePlace,
  options: Pick<ListWorktreesOptions, "isRunAlive" | "isRunResumable">,
): Promise<LocatedEntry> {
  const located = await locateEntry(place, options);
  const { entry, record } = located;
  if (record === undefined || entry.findings.length > 0) return located;
  const findings = [...(await findNeed(record, options)), ...(await inspectSafely(git, record))];
  return { ...located, entry: { ...entry, findings } };
}

/** A resume continues in the worktree, also where nothing in it would be lost. */
async function findNeed(
  { runId, state }: WorktreeRecord,
  { isRunResumable = () => false }: Pick<ListWorktreesOptions, "isRunResumable">,
): Promise<readonly WorktreeFinding[]> {
  if (state === "removing" || !(await isRunResumable(runId))) return [];
  return [{ kind: "resumable", detail: `the run ${runId} can be resumed, and would continue in it` }];
}

/** What is at a place, with only the reasons to keep it that need no git. Does not throw for a broken one. */
export async function locateEntry(
  { name, path, file }: WorktreePlace,
  { isRunAlive }: Pick<ListWorktreesOptions, "isRunAlive">,
): Promise<LocatedEntry> {
  const unknown = (kind: "unknown" | "foreign", detail: string): LocatedEntry => ({
    entry: { name, path, findings: [{ kind, detail }] },
    file,
    record: undefined,
  });
  if (!existsSync(file)) {
    const link = await lstat(join(path, ".git")).catch(() => undefined);
    return link?.isFile() === true
      ? unknown("unknown", "Atomic has no record of this worktree")
      : unknown("foreign", "Atomic did not create it");
  }
  let record: WorktreeRecord;
  try {
    record = await loadRecord(file);
    // A copied record must not lead to another worktree.
    if (record.path !== path) return unknown("unknown", `its record is that of ${record.path}`);
  } catch (error) {
    return unknown("unknown", messageOf(error));
  }
  const { runId, taskId, branch } = record;
  const findings: readonly WorktreeFinding[] = (await isRunAlive(runId))
    ? [{ kind: "in-use", detail: `the run ${runId} is not finished` }]
    : [];
  return { entry: { name, path, runId, taskId, branch, findings }, file, record };
}

async function inspectSafely(git: Git, record: WorktreeRecord): Promise<readonly WorktreeFinding[]> {
  try {
    return await inspectWorktree(git, record);
  } catch (error) {
    git.signal?.throwIfAborted();
    return [{ kind: "damaged", detail: messageOf(error) }];
  }
}
