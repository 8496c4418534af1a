import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AtomicError, nearestName } from "../../contracts/index.ts";
import { discardFolder, finishRemoval } from "./finish-removal.ts";
import { Git } from "./git.ts";
import {
  findFolders,
  findPlaces,
  inspectPlace,
  type ListWorktreesOptions,
  type LocatedEntry,
  type WorktreeEntry,
  type WorktreePlace,
} from "./list-worktrees.ts";
import { releasePorts } from "./port-registry.ts";
import { withRepositoryLock } from "./with-repository-lock.ts";

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

/** What not even force removes. */
const PROTECTED: ReadonlySet<string> = new Set(["in-use", "locked", "foreign"]);

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
  for (const folder of await findFolders(options)) await rm(join(folder, ".trash"), { recursive: true, force: true });
  return { removed, kept };
}

/** Judges a worktree while nobody else creates, merges or removes in its repository. */
async function collectOne(
  git: Git,
  place: WorktreePlace,
  options: CollectWorktreesOptions,
): Promise<{ readonly entry: WorktreeEntry; readonly isRemoved: boolean }> {
  const { home, signal, force = [] } = options;
  const judge = async (): Promise<{ readonly entry: WorktreeEntry; readonly isRemoved: boolean }> => {
    const located = await inspectPlace(git, place, options);
    const { entry } = located;
    const { findings } = entry;
    const isForced = force.includes(entry.name) && !findings.some(({ kind }) => PROTECTED.has(kind));
    if (findings.length > 0 && !isForced) return { entry, isRemoved: false };
    await removeLocated(git, located, home);
    return { entry, isRemoved: true };
  };
  const { record } = await inspectPlace(git, place, { isRunAlive: () => true });
  if (record === undefined) return await judge();
  return await withRepositoryLock({ home, commonDir: record.commonDir, purpose: "create-and-remove", signal }, judge);
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
