import type { ReportedVisit } from "./run-report-page.ts";

/** The time in which a visit worked, in milliseconds: the timeline, the steps and the graph show the same. */
export function timeIn({ durationMs, periods }: Pick<ReportedVisit, "durationMs" | "periods">): number {
  if (durationMs !== undefined) return durationMs;
  return periods.reduce((sum, { type, from, to }) => sum + (type === "wait" || type === "sleep" ? 0 : to - from), 0);
}
