import type { NodeSummary } from "../../graph/index.ts";
import { formatDuration, formatTable, formatTime, formatUsage, safeLine, type TableStyle } from "../../view/index.ts";
import type { RunReportStatus } from "../../workflows/index.ts";
import { TITLE_COLUMNS } from "./with-title.ts";

/** A visit of a node, with its title where that says more than the node's id. */
export type TitledNode = NodeSummary & { readonly title?: string };

/** Formats the visits of a run as a table. */
export function formatVisits(nodes: readonly TitledNode[], status: RunReportStatus, style: TableStyle): string {
  const hasTitles = nodes.some(({ title }) => title !== undefined);
  const rows = nodes.map((node) => [
    node.taskId,
    ...(hasTitles ? [safeLine(node.title ?? "", TITLE_COLUMNS)] : []),
    ...formatNode(node, status, isAroundWaiting(node, nodes)),
  ]);
  const head = ["NODE", ...(hasTitles ? ["TITLE"] : []), "STATUS", "TIME", "ATTEMPTS", "USAGE", "ERROR"];
  return formatTable(head, rows, style);
}

/** Whether something waits within a node that has started: in a call of a script, or in a workflow that it runs. */
function isAroundWaiting({ status, taskId }: NodeSummary, nodes: readonly NodeSummary[]): boolean {
  if (status !== "started") return false;
  const waiting = nodes.filter((node) => node.status === "waiting" || node.status === "sleeping");
  return waiting.some((node) => node.taskId.startsWith(`${taskId}[`) || node.taskId.startsWith(`${taskId}/`));
}

function formatNode(node: NodeSummary, runStatus: RunReportStatus, isWaitingWithin: boolean): readonly string[] {
  const { durationMs, attempts, usage, error } = node;
  const time = durationMs === undefined ? "" : formatDuration(durationMs);
  const status = isWaitingWithin ? "waiting" : `${statusOf(node, runStatus)}${describeWait(node)}`;
  return [status, time, String(attempts), formatUsage(usage), error === undefined ? "" : safeLine(error, 80)];
}

/** What a node waits for, if that is a time. */
function describeWait({ status, wakesAt, retryAt = 0 }: NodeSummary): string {
  const time = (moment: number): string => `${formatTime(new Date(moment).toISOString())} UTC`;
  if (wakesAt !== undefined) return ` until ${time(wakesAt)}`;
  return status === "started" && retryAt > Date.now() ? `, next attempt ${time(retryAt)}` : "";
}

/** Without a process that executes the run, a started node has stopped: resuming restarts it. */
function statusOf({ status, attempts, isPassed }: NodeSummary, runStatus: RunReportStatus): string {
  if (status === "completed" && isPassed === false) return "not passed";
  if (status !== "started" || runStatus === "running") return status;
  return attempts === 0 ? "not begun" : "stopped";
}
