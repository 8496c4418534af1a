import type { ReportedEdge, ReportedGraph, ReportedNode, ReportedStatus, ReportedVisit } from "./run-report-page.ts";
import { timeIn } from "./time-in.ts";

/** The nodes and edges of a workflow's graph, as a {@link RunReportPage} needs them. */
export interface GraphShape {
  readonly nodes: readonly { readonly id: string; readonly name: string }[];
  readonly edges: readonly ReportedEdge[];
}

/** The status of a node with several visits is the first of these. */
const URGENCY: readonly ReportedStatus[] = [
  ...(["failed", "running", "waiting", "sleeping", "stopped", "not passed"] as const),
  ...(["completed", "skipped", "dropped", "inherited", "not visited"] as const),
];

/**
 * The picture of a run's graph, with what became of each node.
 *
 * @param shape absent when the workflow cannot be loaded: the picture is then derived from the visits
 * @param next from a visit to those that it started, where that is known
 */
export function pictureOf(
  visits: readonly ReportedVisit[],
  shape: GraphShape | undefined,
  next: ReadonlyMap<string, readonly string[]>,
): ReportedGraph {
  const outer = visits.filter(({ taskId }) => !isNested(taskId, visits));
  const byNode = Map.groupBy(outer, ({ nodeId }) => nodeId);
  if (shape === undefined) {
    const nodes = [...byNode].map(([id, all]) =>
      nodeOf({ id, name: all.length === 1 ? (all[0]?.name ?? id) : id }, all),
    );
    return { nodes, edges: deriveEdges(outer, next), isDerived: true };
  }
  const nodes = shape.nodes.map((node) => nodeOf(node, byNode.get(node.id) ?? []));
  return { nodes, edges: shape.edges, isDerived: false };
}

/** Whether a visit belongs to a subgraph, whose nodes are not in the graph. */
function isNested(taskId: string, visits: readonly ReportedVisit[]): boolean {
  return visits.some((visit) => visit.nodeType === "subgraph" && taskId.startsWith(`${visit.taskId}/`));
}

function nodeOf({ id, name }: GraphShape["nodes"][number], visits: readonly ReportedVisit[]): ReportedNode {
  const status = URGENCY.find((each) => visits.some((visit) => visit.status === each)) ?? "not visited";
  const durationMs = visits.reduce((sum, visit) => sum + timeIn(visit), 0);
  // An earlier visit that failed may have been repaired: the picture shows where the node stands.
  const last = visits.at(-1);
  const isRepaired = (status === "failed" || status === "not passed") && last?.status === "completed";
  const shown = visits.findLast((visit) => visit.status === status) ?? last;
  const about = { id, name, status: isRepaired ? last.status : status, visits: visits.length, durationMs };
  return { ...about, ...(shown === undefined ? {} : { taskId: isRepaired ? last.taskId : shown.taskId }) };
}

/** From each visit to those that it started; where that is not known, from the last one that had ended. */
function deriveEdges(visits: readonly ReportedVisit[], next: ReadonlyMap<string, readonly string[]>): ReportedEdge[] {
  const edges = new Map<string, ReportedEdge>();
  const nodeIdOf = new Map(visits.map(({ taskId, nodeId }) => [taskId, nodeId]));
  const add = (from: string | undefined, to: string | undefined): void => {
    if (from !== undefined && to !== undefined) edges.set(`${from} ${to}`, { from, to });
  };
  const started = new Set<string>();
  for (const [taskId, followers] of next) {
    for (const follower of followers) {
      started.add(follower);
      add(nodeIdOf.get(taskId), nodeIdOf.get(follower));
    }
  }
  for (const visit of visits) {
    if (started.has(visit.taskId) || visit.startedAt === undefined) continue;
    add(latestBefore(visit.startedAt, visit, visits)?.nodeId, visit.nodeId);
  }
  return [...edges.values()];
}

function latestBefore(at: number, visit: ReportedVisit, visits: readonly ReportedVisit[]): ReportedVisit | undefined {
  let latest: ReportedVisit | undefined;
  for (const other of visits) {
    const end = other.endedAt;
    if (other === visit || end === undefined || end > at) continue;
    if (latest?.endedAt === undefined || end >= latest.endedAt) latest = other;
  }
  return latest;
}
