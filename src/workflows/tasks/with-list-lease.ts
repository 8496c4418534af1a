import { setTimeout as sleep } from "node:timers/promises";
import { AtomicError } from "../../contracts/index.ts";
import { type RunLease, RunLeases, RunLockedError } from "../../graph/index.ts";

const POLL_MS = 10;

/** The path of a task list's leases is not a folder of Atomic's. */
export class TasksLockInvalidError extends AtomicError {
  /** Another attempt would fail, too. */
  readonly isRetryable = false;

  constructor(
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "TASKS_LOCK_INVALID",
      `The list of tasks cannot be changed: ${path} must be a folder of Atomic's, and is something else. Move it away, then try again.`,
      options,
    );
  }
}

/**
 * Does short work on a list of tasks while no other process does so. Uses the same leases as runs.
 *
 * @throws TasksLockInvalidError; the signal's reason when aborted; what the work throws
 */
export async function withListLease<T>(
  path: string,
  work: () => Promise<T>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T> {
  const folder = `${path}.lock`;
  const lease = await acquireWhenFree(new RunLeases({ folder }), signal).catch((cause: unknown) => {
    const isInTheWay = cause instanceof Error && "code" in cause && cause.code === "ENOTDIR";
    throw isInTheWay ? new TasksLockInvalidError(folder, { cause }) : cause;
  });
  try {
    return await work();
  } finally {
    await lease.release();
  }
}

async function acquireWhenFree(leases: RunLeases, signal: AbortSignal | undefined): Promise<RunLease> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await leases.acquire("tasks");
    } catch (error) {
      if (!(error instanceof RunLockedError)) throw error;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
