import { setTimeout as sleep } from "node:timers/promises";
import { type RunLease, RunLeases, RunLockedError } from "../../graph/index.ts";

const POLL_MS = 10;

/** Does short work on a list of tasks while no other process does the same: the claims are those that hold runs, too. */
export async function withListLease<T>(
  path: string,
  work: () => Promise<T>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T> {
  const lease = await acquireWhenFree(new RunLeases({ folder: `${path}.lock` }), signal);
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
