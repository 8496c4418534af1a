import type { RunStatus } from "../contracts/index.ts";
import type { CompiledGraph, HistoryOptions, RunResult, RunSummary } from "../graph/index.ts";
import type { WorkflowSession } from "./session-store/workflow-session.ts";

/** The status of a run. `interrupted`: its process died, and it can be resumed. */
export type RunReportStatus = RunStatus | "interrupted";

/** What determines the status of a run. */
export interface StatusSources {
  readonly session: Pick<WorkflowSession, "status">;
  /** Whether a process is executing the run. */
  readonly isLive: boolean;
  /** The journal's status; `running` when it has no end. Absent when there is no readable journal. */
  readonly journal: RunStatus | undefined;
}

/** The status of a run. The journal takes precedence over the session's file, which is written after it. */
export function describeStatus({ session: { status }, isLive, journal }: StatusSources): RunReportStatus {
  if (isLive) return "running";
  if (journal !== undefined && journal !== "running") return journal;
  // If the journal could not be written, the run failed or was cancelled without an `end` record.
  if (status === "failed" || status === "cancelled") return status;
  // A fork that no process has executed yet.
  if (status === "paused" && journal === "running") return "suspended";
  if (status === "running" || journal === "running") return "interrupted";
  // Session files use the older name of this status.
  return status === "paused" ? "suspended" : status;
}

/** The result of a run that had completed when its process was killed, from its journal. */
export async function resultOfCompleted(
  graph: CompiledGraph,
  { runId, usage, output }: RunSummary,
  options: HistoryOptions,
): Promise<RunResult> {
  const state = await graph.latestState(runId, options);
  const ending = { requests: [], error: undefined, errorInfo: undefined, warnings: [] };
  return { runId, status: "completed", state, usage, output, ...ending };
}
