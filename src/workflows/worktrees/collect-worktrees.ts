import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AtomicError, nearestName } from "../../contracts/index.ts";
import { FileLockTimeoutError } from "../../system/index.ts";
import { discardFolder, finishRemoval, isDiscarded } from "./finish-removal.ts";
import { Git } from "./git.ts";
import {
  findFolders,
  findPlaces,
  inspectPlace,
  type ListWorktreesOptions,
  type LocatedEntry,
  locateEntry,
  type WorktreeEntry,
  type WorktreePlace,
} from "./list-worktrees.ts";
import { releasePorts } from "./port-registry.ts";
import { recordOfLock, withRepositoryLock, withWorktreeLock } from "./with-lock.ts";

/** Settings of {@link collectWorktrees}. */
export interface CollectWorktreesOptions extends ListWorktreesOptions {
  /**
   * Names of worktrees that are removed with everything in them, as `listWorktrees` returns them. An unmerged branch stays;
   * so do worktrees of runs that are not finished, locked ones, and what is no worktree. @default none
   */
  readonly force?: readonly string[];
}

/** The result of {@link collectWorktrees}. */
export interface CollectedWorktrees {
  readonly removed: readonly WorktreeEntry[];
  /** Each has at least one finding. */
  readonly kept: readonly WorktreeEntry[];
}

/** A name to remove by force is not that of a worktree. */
export class NoSuchWorktreeError extends AtomicError {
  constructor(
    readonly worktree: string,
    readonly known: readonly string[],
  ) {
    const nearest = nearestName(worktree, known);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    super("WORKTREE_NOT_FOUND", `No worktree is named "${worktree}", so nothing was removed.${hint}`);
  }
}

/** The kinds of findings that not even force overrules. */
export const PROTECTED_FINDINGS: ReadonlySet<string> = new Set(["in-use", "locked", "foreign"]);

/**
 * Removes the worktrees of finished runs that are merged or unchanged, and what crashes left of removals. Everything that
 * is in no commit, or in commits that no branch of the user has, stays, unless `force` names its worktree.
 *
 * @throws NoSuchWorktreeError; GitMissingError, GitTooOldError; the signal's reason
 */
export async function collectWorktrees(options: CollectWorktreesOptions): Promise<CollectedWorktrees> {
  const { force = [], signal } = options;
  const git = await Git.open(options);
  const places = await findPlaces(options);
  const names = places.map(({ name }) => name);
  const missing = force.find((name) => !names.includes(name));
  if (missing !== undefined) throw new NoSuchWorktreeError(missing, names);
  const removed: WorktreeEntry[] = [];
  const kept: WorktreeEntry[] = [];
  for (const place of places) {
    signal?.throwIfAborted();
    const { entry, isRemoved } = await collectOne(git, place, options);
    (isRemoved ? removed : kept).push(entry);
  }
  for (const folder of await findFolders(options)) await tidy(git, folder);
  return { removed, kept };
}

interface Collected {
  readonly entry: WorktreeEntry;
  readonly isRemoved: boolean;
}

/** How long to wait for a git that a killed process left in a worktree, in milliseconds. */
const WAIT_MS = 2_000;

/** Judges a worktree while nobody else works in it, or creates and removes worktrees of its repository. */
async function collectOne(git: Git, place: WorktreePlace, options: CollectWorktreesOptions): Promise<Collected> {
  const located = await locateEntry(place, options);
  const { record, entry } = located;
  if (record === undefined) return await removeUnlessKept(git, located, options);
  if (entry.findings.length > 0) return { entry, isRemoved: false };
  try {
    return await withWorktreeLock(git, { file: place.file, timeoutMs: WAIT_MS }, async (lock) => {
      const repository = { home: options.home, commonDir: record.commonDir, purpose: "create-and-remove" } as const;
      const collected = await withRepositoryLock(lock.git, repository, async (inner) =>
        removeUnlessKept(inner, await inspectPlace(inner, place, options), options),
      );
      if (collected.isRemoved) await lock.discard();
      return collected;
    });
  } catch (error) {
    if (!(error instanceof FileLockTimeoutError)) throw error;
    return {
      entry: { ...entry, findings: [{ kind: "in-use", detail: "another process works in it" }] },
      isRemoved: false,
    };
  }
}

async function removeUnlessKept(
  git: Git,
  located: LocatedEntry,
  { home, force = [] }: CollectWorktreesOptions,
): Promise<Collected> {
  const { entry } = located;
  const { findings } = entry;
  const isForced = force.includes(entry.name) && !findings.some(({ kind }) => PROTECTED_FINDINGS.has(kind));
  if (findings.length > 0 && !isForced) return { entry, isRemoved: false };
  await removeLocated(git, located, home);
  return { entry, isRemoved: true };
}

/** Deletes what removals leave in a folder when they are interrupted. */
async function tidy(git: Git, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (isDiscarded(entry.name)) await rm(join(folder, entry.name), { recursive: true, force: true });
    const file = recordOfLock(entry);
    if (file !== undefined && !existsSync(file)) await discardLock(git, file);
  }
}

/** Deletes the lock of a worktree that does not exist. A call that has the lock is about to create it. */
async function discardLock(git: Git, file: string): Promise<void> {
  try {
    await withWorktreeLock(git, { file, timeoutMs: 0 }, async ({ discard }) => {
      if (!existsSync(file)) await discard();
    });
  } catch (error) {
    if (!(error instanceof FileLockTimeoutError)) throw error;
  }
}

async function removeLocated(git: Git, { entry, file, record }: LocatedEntry, home: string): Promise<void> {
  if (record !== undefined) {
    await finishRemoval(git, { record, file, home });
    return;
  }
  await git.try(["worktree", "remove", "--force", "--force", "--", entry.path], { cwd: entry.path });
  await discardFolder(entry.path);
  await releasePorts(home, file);
  await rm(file, { force: true });
}
