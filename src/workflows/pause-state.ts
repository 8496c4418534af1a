import type { SteerableRun } from "../graph/index.ts";
import type { RunReportStatus } from "./run-status.ts";
import type { SessionStore } from "./session-store/session-store.ts";
import type { WorkflowSession } from "./session-store/workflow-session.ts";

/** Where the pause of a run stands. `pausing`: steps in progress finish first. */
export type PauseState = "pausing" | "paused";

/** The status of a run as people and programs see it. */
export type ShownStatus = RunReportStatus | PauseState;

/** Notes in the session that the run was paused, until the pause is withdrawn or a process resumes it. */
export function notePause(store: SessionStore, id: string, control: SteerableRun): SteerableRun {
  return {
    ...control,
    async pause() {
      await control.pause();
      const pauseRequestedAt = new Date().toISOString();
      await store.update(id, (session) => ({ ...session, pauseRequestedAt }));
    },
    async unpause() {
      await control.unpause();
      await store.update(id, ({ pauseRequestedAt: _pause, ...session }) => session);
    },
  };
}

/** Whether somebody has paused the run; `undefined` for a run that waits for something else, or has ended. */
export function pauseStateOf(
  { pauseRequestedAt }: Pick<WorkflowSession, "pauseRequestedAt">,
  status: RunReportStatus,
): PauseState | undefined {
  if (pauseRequestedAt === undefined) return undefined;
  return status === "running" ? "pausing" : status === "suspended" ? "paused" : undefined;
}

/** The status of a run with its pause: `pausing` for `running`, `paused` for `suspended`. */
export function shownStatusOf(
  session: Pick<WorkflowSession, "pauseRequestedAt">,
  status: RunReportStatus,
): ShownStatus {
  return pauseStateOf(session, status) ?? status;
}

/** The status of a run in words for people: a fork that no process has executed yet is `not started`. */
export function statusWordsOf(
  session: Pick<WorkflowSession, "pauseRequestedAt" | "isUnstarted">,
  status: RunReportStatus,
): string {
  return isUnstartedFork(session, status) ? "not started" : shownStatusOf(session, status);
}

/** Whether a run is a fork that no process has executed yet. */
export function isUnstartedFork({ isUnstarted }: Pick<WorkflowSession, "isUnstarted">, status: string): boolean {
  return isUnstarted === true && status === "suspended";
}
