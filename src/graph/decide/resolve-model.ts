import type { DefaultModel } from "../compile/graph-code.ts";
import type { Task, Thread } from "./records/run-state.ts";

/**
 * The model for a visit of a node. The first one that is set wins: the node's own; that of the `subgraphNode`s around it,
 * innermost first; the `defaultModel` of the graphs around it, innermost first; the run's.
 *
 * @param agentType the node's agent; a default model of another agent is ignored
 */
export function resolveModel(
  { node, thread }: Pick<Task, "node" | "thread">,
  agentType: string | undefined,
  ofRun: DefaultModel,
): string | undefined {
  if (node.model !== undefined) return node.model;
  let ofGraph: string | undefined;
  for (let inner: Thread = thread; inner.parent !== undefined; inner = inner.parent) {
    const instruction = inner.parent.fork?.instruction;
    if (instruction?.op !== "subgraph") continue;
    if (instruction.node.model !== undefined) return instruction.node.model;
    ofGraph ??= defaultFor(agentType, inner.code.model);
  }
  return ofGraph ?? defaultFor(agentType, ofRun);
}

function defaultFor(agentType: string | undefined, { defaultModel, defaultModelAgent }: DefaultModel = {}) {
  const isForIt = agentType === undefined || defaultModelAgent === undefined || agentType === defaultModelAgent;
  return isForIt ? defaultModel : undefined;
}
