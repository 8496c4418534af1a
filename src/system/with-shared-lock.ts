import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync, readSync } from "node:fs";
import { rm } from "node:fs/promises";
import { platform } from "node:os";
import { dirname, join } from "node:path";
import { sleep } from "./long-timer.ts";
import { FileLockTimeoutError, withFileLock } from "./with-file-lock.ts";

/** How often to try again while another process has the lock, in milliseconds. */
const POLL_MS = 10;

/** Settings of {@link withSharedLock}. */
export interface SharedLockOptions {
  /** How long to wait for the lock, in milliseconds. @default for ever */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A lock while its holder has it. */
export interface SharedLock {
  /** The processes that inherit this descriptor have the lock, too, until the last one ends. Undefined on Windows. */
  readonly descriptor: number | undefined;
  /** Deletes the lock's file. Those that wait for the lock get it nevertheless. */
  discard(): Promise<void>;
}

/**
 * Executes `work` while no other process, and no other part of this one, executes its own under the same path, **and**
 * while no child of an earlier holder is alive that inherited the lock. Without that, a program whose caller was killed may
 * continue, or even begin, while the next caller already works.
 *
 * 1. The lock is a named pipe at `path`, whose folder must exist. A process that has it open for writing has the lock: the system
 *    closes it when the process ends, even violently, and knows every child that inherited it. Nobody writes to it.
 * 2. A free lock is opened, created and deleted only under the file lock `.guard` in the same folder.
 *
 * On Windows, which has no such pipes, it is a file lock at `path`, and children do not count.
 *
 * @throws FileLockTimeoutError; the signal's reason; the errors of `work` and of the file system
 */
export async function withSharedLock<T>(
  path: string,
  work: (lock: SharedLock) => Promise<T>,
  { timeoutMs = Number.POSITIVE_INFINITY, signal = new AbortController().signal }: SharedLockOptions = {},
): Promise<T> {
  signal.throwIfAborted();
  if (platform() === "win32")
    return await withFileLock(path, () => work({ descriptor: undefined, discard: async () => {} }), { timeoutMs });
  const guard = join(dirname(path), ".guard");
  const deadline = performance.now() + timeoutMs;
  let descriptor = await tryOpen(path, guard);
  while (descriptor === undefined) {
    if (performance.now() >= deadline) throw new FileLockTimeoutError(path, timeoutMs);
    await sleep(POLL_MS, signal);
    descriptor = await tryOpen(path, guard);
  }
  try {
    return await work({ descriptor, discard: () => withFileLock(guard, () => rm(path, { force: true })) });
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a process has the lock at `path`. The answer may be out of date at once, unless the caller prevents changes. */
export async function isSharedLockHeld(path: string): Promise<boolean> {
  if (platform() !== "win32") return hasWriter(path);
  try {
    await withFileLock(path, async () => {}, { timeoutMs: 0 });
    return false;
  } catch (error) {
    if (error instanceof FileLockTimeoutError) return true;
    throw error;
  }
}

/** Opens the pipe for writing, unless a process has done so before. */
async function tryOpen(path: string, guard: string): Promise<number | undefined> {
  if (hasWriter(path)) return undefined;
  return await withFileLock(guard, async () => {
    if (!existsSync(path)) await createPipe(path);
    if (hasWriter(path)) return;
    // For reading, too: a pipe without a reader cannot be opened for writing.
    return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  });
}

async function createPipe(path: string): Promise<void> {
  await once(spawn("mkfifo", ["-m", "600", path], { stdio: "ignore" }), "exit");
  if (!existsSync(path)) throw new Error(`mkfifo could not create ${path}`);
}

/** Whether a process has the pipe open for writing. As nobody writes to it, a read ends at once. */
function hasWriter(path: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    readSync(descriptor, new Uint8Array(1));
    return false;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return true;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
