import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { FileLockTimeoutError, withFileLock } from "../../system/index.ts";
import { repositoryLock } from "./worktree-names.ts";

/** How long one wait for the lock lasts, in milliseconds: an abort is noticed after it. */
const WAIT_MS = 200;

/** Settings of {@link withRepositoryLock}. */
export interface RepositoryLockOptions {
  /** The folder of Atomic. */
  readonly home: string;
  readonly commonDir: string;
  /** Merges, in which an agent may resolve conflicts for minutes, do not hold up the others. */
  readonly purpose: "merge" | "create-and-remove";
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does work while no other process, and no other part of this one, does work for the same purpose in the same repository. Waits as long as
 * necessary.
 *
 * @throws the signal's reason; what the work throws
 */
export async function withRepositoryLock<T>(options: RepositoryLockOptions, work: () => Promise<T>): Promise<T> {
  const { home, commonDir, purpose, signal } = options;
  const path = repositoryLock(home, { commonDir, purpose });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await withFileLock(path, work, { timeoutMs: WAIT_MS });
    } catch (error) {
      if (!(error instanceof FileLockTimeoutError) || error.path !== path) throw error;
    }
  }
}
