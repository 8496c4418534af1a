import { setTimeout as sleep } from "node:timers/promises";
import { RunLockedError, RunNotExecutedError } from "../graph/index.ts";
import type { WorkflowRuns } from "../workflows/index.ts";

/** Delay before the next attempt, when another process has taken or released the run. */
const RETRY_MS = 50;

/** The two ways in which a command reaches a run. */
export interface RunWays<T> {
  /** Checks that the command still applies; called before each attempt. */
  readonly check?: () => Promise<void>;
  /** Sends the command to the process that executes the run. */
  readonly toLiveRun: () => Promise<T>;
  /** Resumes the run with the command in this process. @param attempt 1 for the first call */
  readonly resume: (attempt: number) => Promise<T>;
  /** Cancels the wait between two attempts. */
  readonly signal?: AbortSignal;
}

/**
 * Gets a command to a run that another process may take or release at any moment: retries until one of the two ways
 * succeeds or fails for another reason. A lease that is lost during the run is such a reason, since nodes have run.
 *
 * @throws what the ways throw, and AbortError
 */
export async function reachRun<T>(
  runs: Pick<WorkflowRuns, "isLive">,
  runId: string,
  { check, toLiveRun, resume, signal }: RunWays<T>,
): Promise<T> {
  for (let attempt = 0; ; ) {
    await check?.();
    try {
      if (await runs.isLive(runId)) return await toLiveRun();
      attempt++;
      return await resume(attempt);
    } catch (error) {
      if (!hasChangedHands(error)) throw error;
    }
    await sleep(RETRY_MS, undefined, signal === undefined ? {} : { signal });
  }
}

/** A lease that was lost during the run has no owner. */
function hasChangedHands(error: unknown): boolean {
  return error instanceof RunNotExecutedError || (error instanceof RunLockedError && error.owner !== undefined);
}
