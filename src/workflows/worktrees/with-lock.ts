import type { Dirent } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { withSharedLock } from "../../system/index.ts";
import type { Git } from "./git.ts";
import { repositoryLock } from "./worktree-names.ts";

/** Settings of {@link withRepositoryLock}. */
export interface RepositoryLockOptions {
  /** The folder of Atomic. */
  readonly home: string;
  readonly commonDir: string;
  /** Merges, in which an agent may resolve conflicts for minutes, do not hold up the others. */
  readonly purpose: "merge" | "create-and-remove";
}

/**
 * Does work while no other process, and no other part of this one, does work for the same purpose in the same repository,
 * and no git of a process that died meanwhile. Waits as long as necessary. The git that the work gets has the lock.
 *
 * A caller that needs several locks takes them in this order: that for merges, the worktree's, that for creating and removing.
 *
 * @throws the signal's reason; what the work throws
 */
export async function withRepositoryLock<T>(
  git: Git,
  { home, commonDir, purpose }: RepositoryLockOptions,
  work: (git: Git) => Promise<T>,
): Promise<T> {
  const path = repositoryLock(home, { commonDir, purpose });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const own = git.knowing(commonDir);
  return await withSharedLock(path, ({ descriptor }) => work(own.withLock(descriptor)), { signal: git.signal });
}

/** What work in a worktree gets. */
export interface WorktreeLock {
  /** Its processes have the lock. */
  readonly git: Git;
  readonly descriptor: number | undefined;
  /** Deletes the lock's file after the worktree's removal. */
  discard(): Promise<void>;
}

/** The same for work in one worktree, whose record is in `file`. @throws FileLockTimeoutError if `timeoutMs` is given */
export async function withWorktreeLock<T>(
  git: Git,
  { file, timeoutMs }: { readonly file: string; readonly timeoutMs?: number },
  work: (lock: WorktreeLock) => Promise<T>,
): Promise<T> {
  return await withSharedLock(
    lockOf(file),
    ({ descriptor, discard }) => work({ git: git.withLock(descriptor), descriptor, discard }),
    { signal: git.signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
  );
}

/** The file of a worktree's lock; next to the record. */
function lockOf(file: string): string {
  return join(dirname(file), `.${basename(file, ".json")}.lock`);
}

/** The record's file of the worktree whose lock an entry of a folder is; undefined for another entry. */
export function recordOfLock(entry: Dirent): string | undefined {
  const [, name] = /^\.(.+)\.lock$/.exec(entry.name) ?? [];
  return name !== undefined && entry.isFIFO() ? join(entry.parentPath, `${name}.json`) : undefined;
}
