import { randomUUID } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
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
  const token = randomUUID();
  await acquire(options, token);
  try {
    return await work();
  } finally {
    await release(options.path, token);
  }
}

async function acquire({ path, signal }: FileLockOptions, token: string): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    if (await create(path, token)) return;
    const file = await stat(path).catch(() => undefined);
    if (file !== undefined && Date.now() - file.mtimeMs > STALE_AFTER_MS) await rm(path, { force: true });
    else await sleep(POLL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** False when the file exists already. */
async function create(path: string, token: string): Promise<boolean> {
  try {
    await writeFile(path, token, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** After work that took too long the lock may be somebody else's. */
async function release(path: string, token: string): Promise<void> {
  const holder = await readFile(path, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  });
  if (holder === token) await rm(path, { force: true });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
