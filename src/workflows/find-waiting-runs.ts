import type { SessionStore } from "./session-store/session-store.ts";
import type { WorkflowSession } from "./session-store/workflow-session.ts";
import type { WorkflowRuns } from "./workflow-runs.ts";

/** A run that no process executes, and that continues at a time without a person. */
export interface WaitingRun {
  readonly session: WorkflowSession;
  /** In milliseconds since 1970. See `RunSummary.dueAt`. */
  readonly dueAt: number;
}

/** A run that cannot be read. */
export interface UnreadableRun {
  readonly session: WorkflowSession;
  readonly error: unknown;
}

/** What {@link findWaitingRuns} finds. */
export interface WaitingRuns {
  /** The earliest first. */
  readonly waiting: readonly WaitingRun[];
  readonly unreadable: readonly UnreadableRun[];
}

/**
 * Finds the runs that wait for a time while no process executes them: those that are suspended until an answer applies by
 * itself, and those whose process died while they slept, or waited before an attempt.
 *
 * @throws as {@link SessionStore.list}
 */
export async function findWaitingRuns(
  store: Pick<SessionStore, "list">,
  runs: Pick<WorkflowRuns, "report">,
): Promise<WaitingRuns> {
  const waiting: WaitingRun[] = [];
  const unreadable: UnreadableRun[] = [];
  for (const session of (await store.list()).sessions) {
    // All others have ended.
    if (session.status !== "paused" && session.status !== "running") continue;
    try {
      const { status, summary, missing } = await runs.report(session.sessionId);
      if (missing !== undefined) throw missing;
      const isIdle = status === "suspended" || status === "interrupted";
      if (isIdle && summary?.dueAt !== undefined) waiting.push({ session, dueAt: summary.dueAt });
    } catch (error) {
      unreadable.push({ session, error });
    }
  }
  return { waiting: waiting.toSorted((one, other) => one.dueAt - other.dueAt), unreadable };
}
