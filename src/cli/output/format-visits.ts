import { isVisitWithin } from "../../contracts/index.ts";
import type { NodeSummary } from "../../graph/index.ts";
import { formatDuration, formatTable, formatTime, formatUsage, safeLine, type TableStyle } from "../../view/index.ts";
import type { RunReportStatus } from "../../workflows/index.ts";
import { TITLE_COLUMNS } from "./with-title.ts";

/** A visit of a node, with its title where that says more than the node's id. */
export type TitledNode = NodeSummary & { readonly title?: string };

/** Formats the visits of a run as a table. */
export function formatVisits(
  nodes: readonly TitledNode[],
  { status, inherited }: { readonly status: RunReportStatus; readonly inherited: readonly TitledNode[] },
  style: TableStyle,
): string {
  const own = new Set(nodes.map(({ taskId }) => taskId));
  const earlier = inherited.filter(({ taskId }) => !own.has(taskId));
  const hasTitles = [...earlier, ...nodes].some(({ title }) => title !== undefined);
  const startOf = ({ taskId, title = "" }: TitledNode): readonly string[] => [
    taskId,
    ...(hasTitles ? [safeLine(title, TITLE_COLUMNS)] : []),
  ];
  const rows = [
    ...earlier.map((node) => [...startOf(node), ...formatCells(node, describeInherited(node))]),
    ...nodes.map((node) => [...startOf(node), ...formatCells(atAttempt(node, status), describe(node, status, nodes))]),
  ];
  const head = ["NODE", ...(hasTitles ? ["TITLE"] : []), "STATUS", "TIME", "ATTEMPTS", "USAGE", "ERROR"];
  return formatTable(head, rows, style);
}

/** Whether something waits within a node that has started: in a call of a script, or in a workflow that it runs. */
function isAroundWaiting({ status, taskId }: NodeSummary, nodes: readonly NodeSummary[]): boolean {
  if (status !== "started") return false;
  const waiting = nodes.filter((node) => node.status === "waiting" || node.status === "sleeping");
  return waiting.some((node) => isVisitWithin(node.taskId, taskId));
}

function describe(node: NodeSummary, runStatus: RunReportStatus, nodes: readonly NodeSummary[]): string {
  return isAroundWaiting(node, nodes)
    ? "waiting"
    : `${statusOf(node, runStatus)}${hasEnded(runStatus) ? "" : describeWait(node)}`;
}

/** A visit of the run that this one was forked from. */
function describeInherited({ status, isPassed }: NodeSummary): string {
  if (status === "completed") return isPassed === false ? "inherited, not passed" : "inherited";
  return `inherited, ${status}`;
}

function formatCells({ durationMs, attempts, usage, error }: NodeSummary, status: string): readonly string[] {
  const time = durationMs === undefined ? "" : formatDuration(durationMs);
  return [status, time, String(attempts), formatUsage(usage), error === undefined ? "" : safeLine(error, 80)];
}

/** Of a node that is retried at this moment: the attempt in progress, without the failure of the one before. */
function atAttempt(node: TitledNode, runStatus: RunReportStatus): TitledNode {
  const { status, attempts, retryAt } = node;
  const isRetrying = status === "started" && runStatus === "running" && retryAt !== undefined && retryAt <= Date.now();
  return isRetrying ? { ...node, attempts: attempts + 1, error: undefined } : node;
}

/** What a node waits for, if that is a time. */
function describeWait({ status, wakesAt, retryAt = 0 }: NodeSummary): string {
  const time = (moment: number): string => `${formatTime(new Date(moment).toISOString())} UTC`;
  if (wakesAt !== undefined) return ` until ${time(wakesAt)}`;
  return status === "started" && retryAt > Date.now() ? `, next attempt ${time(retryAt)}` : "";
}

/** Whether nothing happens in the run at a time any more. */
function hasEnded(runStatus: RunReportStatus): boolean {
  return runStatus === "completed" || runStatus === "failed" || runStatus === "cancelled";
}

/** Without a process that executes the run, a started node has stopped: resuming restarts it. A sleeping one stops with its run. */
function statusOf({ status, attempts, isPassed }: NodeSummary, runStatus: RunReportStatus): string {
  if (status === "completed" && isPassed === false) return "not passed";
  if (status === "sleeping" && hasEnded(runStatus)) return "stopped";
  if (status !== "started" || runStatus === "running") return status;
  return attempts === 0 ? "not begun" : "stopped";
}
