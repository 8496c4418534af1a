import { join } from "node:path";
import type { SteerableRun } from "../graph/index.ts";
import { LOG_FOLDER, logNote } from "./run-log.ts";
import type { RunReportStatus } from "./run-status.ts";
import type { SessionStore } from "./session-store/session-store.ts";
import type { WorkflowSession } from "./session-store/workflow-session.ts";

/** Where the pause of a run stands. `pausing`: steps in progress finish first. */
export type PauseState = "pausing" | "paused";

/** The status of a run as people and programs see it. `not started`: a fork that no process has executed yet. */
export type ShownStatus = RunReportStatus | PauseState | "not started";

/** Notes in the session that the run was paused, until the pause is withdrawn or a process resumes it. */
export function notePause(store: SessionStore, id: string, control: SteerableRun): SteerableRun {
  const log = (message: string): void =>
    logNote(join(store.directoryOf(id), LOG_FOLDER), { at: Date.now(), type: "pause", message });
  return {
    ...control,
    async pause() {
      await control.pause();
      const pauseRequestedAt = new Date().toISOString();
      await store.update(id, (session) => ({ ...session, pauseRequestedAt }));
      log("Somebody paused the run: steps in progress finish first.");
    },
    async unpause() {
      await control.unpause();
      await store.update(id, ({ pauseRequestedAt: _pause, ...session }) => session);
      log("Somebody withdrew the pause.");
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

/** The status of a run with its pause: `pausing` for `running`, `paused` for `suspended`; `not started` for a new fork. */
export function shownStatusOf(
  session: Pick<WorkflowSession, "pauseRequestedAt" | "isUnstarted">,
  status: RunReportStatus,
): ShownStatus {
  return isUnstartedFork(session, status) ? "not started" : (pauseStateOf(session, status) ?? status);
}

/** Whether a run is a fork that no process has executed yet. */
export function isUnstartedFork({ isUnstarted }: Pick<WorkflowSession, "isUnstarted">, status: string): boolean {
  return isUnstarted === true && status === "suspended";
}
