import { open, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** A lock as old as this was left by a process that died: work under a lock takes milliseconds. */
const STALE_AFTER_MS = 10_000;
const POLL_MS = 10;

/** Settings of {@link withFileLock}. */
export interface FileLockOptions {
  /** The file that exists while somebody has the lock. Its folder must exist. */
  readonly path: string;
  /** Ends the wait for others. */
  readonly signal?: AbortSignal;
}

/**
 * Does short work while no other process does the same under this lock. After a death within the work the lock is taken
 * over once it is old; two that do so in the same moment may both get it, so that the work itself must notice changes.
 */
export async function withFileLock<T>(options: FileLockOptions, work: () => Promise<T>): Promise<T> {
  await acquire(options);
  try {
    return await work();
  } finally {
    await rm(options.path, { force: true });
  }
}

async function acquire({ path, signal }: FileLockOptions): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    if (await create(path)) return;
    const file = await stat(path).catch(() => undefined);
    if (file !== undefined && Date.now() - file.mtimeMs > STALE_AFTER_MS) await rm(path, { force: true });
    else await sleep(POLL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** False when the file exists already. */
async function create(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
