import type { ReportedVisit } from "./run-report-page.ts";

/** New names for the calls of scripts, whose ids are made from labels, and so from texts of people or agents. */
export interface CallNames {
  /** The id of a visit: `script[1]/agent` for each call. */
  taskId(taskId: string): string;
  /** The id of the node of a visit: the kind of a call. */
  nodeId(visit: Pick<ReportedVisit, "taskId" | "nodeId">): string;
  /** The id of a node where its visit is unknown: for a call the kind and a number. */
  node(nodeId: string): string;
  /** Whether a visit is a call of a script. */
  isCall(taskId: string): boolean;
}

/** What a call is named after. */
const KINDS: Readonly<Record<string, string>> = {
  agent: "agent",
  tool: "shell",
  ask_user: "ask",
  subgraph: "workflow",
};

/** Names the calls of scripts by what they are. Where the type of a node was not recorded, it counts as a script. Pure. */
export function renameCalls(visits: readonly ReportedVisit[]): CallNames {
  const types = new Map(visits.map(({ taskId, nodeType }) => [taskId, nodeType]));
  const isScript = (taskId: string): boolean => types.has(taskId) && (types.get(taskId) ?? "script") === "script";
  const isCallAt = (path: readonly string[]): boolean => {
    const caller = /^(.*)\[\d+\]$/s.exec(path.slice(0, -1).join("/"))?.[1];
    return caller !== undefined && isScript(caller);
  };
  const kindOf = (path: readonly string[]): string => {
    const type = types.get(path.join("/")) ?? "";
    return Object.hasOwn(KINDS, type) ? (KINDS[type] ?? "call") : "call";
  };
  const taskId = (id: string): string => {
    const parts = id.split("/");
    return parts
      .map((part, index) => {
        const path = [...parts.slice(0, index), withoutIndex(part)];
        // After the name, a visit has a count (`#2`), and a place within it an index (`[1]`).
        return isCallAt(path) ? part.replace(/^[^#[]*/, kindOf(path)) : part;
      })
      .join("/");
  };
  const isCall = (id: string): boolean => isCallAt(id.split("/"));
  const kindOfVisit = (id: string): string => kindOf(id.split("/"));
  const numbered = new Map<string, string>();
  for (const visit of visits) {
    if (!isCall(visit.taskId) || numbered.has(visit.nodeId)) continue;
    numbered.set(visit.nodeId, `${kindOfVisit(visit.taskId)} ${numbered.size + 1}`);
  }
  return {
    taskId,
    nodeId: (visit) => (isCall(visit.taskId) ? kindOfVisit(visit.taskId) : visit.nodeId),
    node: (nodeId) => numbered.get(nodeId) ?? nodeId,
    isCall,
  };
}

function withoutIndex(part: string): string {
  return part.replace(/\[\d+\]$/, "");
}
