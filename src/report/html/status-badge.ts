import type { ReportedRunStatus, ReportedStatus } from "../model/run-report-page.ts";
import { type Html, html } from "./markup.ts";

/** What a status means for the reader, which decides its colour. */
const CLASSES: Readonly<Record<ReportedStatus | ReportedRunStatus, string>> = {
  completed: "good",
  "not passed": "bad",
  failed: "bad",
  running: "busy",
  pausing: "busy",
  waiting: "open",
  suspended: "open",
  paused: "open",
  sleeping: "open",
  stopped: "halted",
  cancelled: "halted",
  interrupted: "halted",
  skipped: "idle",
  dropped: "idle",
  inherited: "idle",
  "not started": "idle",
  "not visited": "idle",
};

/** The class of the elements about a status. */
export function classOf(status: ReportedStatus | ReportedRunStatus): string {
  return CLASSES[status];
}

/** A status as a coloured word. */
export function statusBadge(status: ReportedStatus | ReportedRunStatus): Html {
  return html`<span class="badge ${classOf(status)}">${status}</span>`;
}

/** How a command ended. @param exitCode undefined for one that was stopped */
export function commandBadge(exitCode: number | undefined): Html {
  if (exitCode === undefined) return statusBadge("stopped");
  return html`<span class="badge ${exitCode === 0 ? "good" : "bad"}">exit ${exitCode}</span>`;
}
