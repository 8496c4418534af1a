import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** How often to try again while another process has the lock, in milliseconds. */
const POLL_MS = 10;

/** SQLite's result code when another connection has the lock. */
const SQLITE_BUSY = 5;

/** Settings of {@link withFileLock}. */
export interface FileLockOptions {
  /** How long to wait for the lock, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
}

/** Another process had a lock for too long, for example because it is stopped. */
export class FileLockTimeoutError extends Error {
  constructor(
    readonly path: string,
    readonly timeoutMs: number,
  ) {
    super(`another process has locked ${path} for ${timeoutMs / 1_000} seconds`);
  }
}

/**
 * Executes `work` while no other process, and no other part of this one, executes its own under the same path. The system
 * releases the lock when its process ends, even violently. The lock is SQLite's, on an empty database at `path`, which is
 * created and stays; its folder must exist.
 *
 * @throws FileLockTimeoutError, the errors of SQLite and of `work`
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { timeoutMs = 10_000 }: FileLockOptions = {},
): Promise<T> {
  // Dynamic, because Node 20 has no SQLite.
  const { DatabaseSync } = await import("node:sqlite");
  createPrivate(path);
  const database = new DatabaseSync(path);
  try {
    const deadline = performance.now() + timeoutMs;
    while (!tryLock(database)) {
      if (performance.now() > deadline) throw new FileLockTimeoutError(path, timeoutMs);
      await sleep(POLL_MS);
    }
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: { exec(sql: string): void }): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

/** An existing file is not opened: closing it would release the locks that this process has on it through SQLite. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    // It exists, or SQLite reports the error.
  }
}
