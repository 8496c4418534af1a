import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Git } from "./git.ts";
import { gitFolderOf } from "./repository.ts";

const POLL_MS = 50;

/** How long a git that a worker left running may take to end, in milliseconds. */
const OLD_GIT_MS = 2_000;

/** The lock of git's index for a working tree. Returns its path if it is still there after the time, in milliseconds. */
export async function waitForIndexLock(git: Git, cwd: string, timeoutMs: number): Promise<string | undefined> {
  const lock = join(await gitFolderOf(git, cwd), "index.lock");
  const deadline = performance.now() + timeoutMs;
  while (existsSync(lock)) {
    if (performance.now() > deadline) return lock;
    await sleep(POLL_MS);
    git.signal?.throwIfAborted();
  }
  return undefined;
}

/**
 * Removes the lock that a killed git left in a worktree. Only for the holder of the worktree's lock: no git of Atomic's
 * works there, and none of the worker's should.
 */
export async function removeIndexLock(git: Git, cwd: string): Promise<void> {
  const lock = await waitForIndexLock(git, cwd, OLD_GIT_MS);
  if (lock !== undefined) await rm(lock, { force: true });
}
