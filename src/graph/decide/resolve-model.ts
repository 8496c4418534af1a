import type { DefaultModel } from "../compile/graph-code.ts";
import type { Task, Thread } from "./run-state.ts";

/**
 * The model for a visit of a node. The nearest one wins: the node's own, then that of the `subgraphNode`s around it, from the
 * inside out, then the `defaultModel` of the graphs it is in, from the inside out, and last the run's.
 *
 * @param agentType the agent that is asked; a default that is a model of another agent does not count
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
