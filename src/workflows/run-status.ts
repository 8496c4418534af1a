import type { RunStatus } from "../contracts/index.ts";
import type { CompiledGraph, HistoryOptions, RunResult, RunSummary } from "../graph/index.ts";
import type { WorkflowSession } from "./session-store/workflow-session.ts";

/** Where a run stands; `interrupted`: its process died without a word, and it can be resumed. */
export type RunReportStatus = RunStatus | "interrupted";

/** What is known about where a run stands. */
export interface StatusSources {
  readonly session: Pick<WorkflowSession, "status">;
  /** Whether a process executes the run at this moment. */
  readonly isLive: boolean;
  /** What the journal says; `running` when it has no end. Absent where there is no journal, or none that can be read. */
  readonly journal: RunStatus | undefined;
}

/** Where a run stands. The journal knows better than the session's file, which is written a moment after it. */
export function describeStatus({ session: { status }, isLive, journal }: StatusSources): RunReportStatus {
  if (isLive) return "running";
  if (journal !== undefined && journal !== "running") return journal;
  // A run whose journal could not be written has failed, or was cancelled, without an end in it.
  if (status === "failed" || status === "cancelled") return status;
  if (status === "running" || journal === "running") return "interrupted";
  // The session's word for it is the older one; everywhere else such a run is suspended.
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
