import type { BaseState, CompiledGraph, NodeDefinition } from "../../graph/index.ts";

/** The names of a workflow that a test can use. */
export interface TestNames {
  readonly nodeIds: ReadonlySet<string>;
  /** The types of agents that nodes name. */
  readonly agentTypes: ReadonlySet<string>;
  /** Whether a run may have further ones: those of a script, or of a workflow that is looked up in the run. */
  readonly isOpen: boolean;
}

/** Collects the names of a graph and of the graphs in it. Pure. */
export function namesOf<State extends BaseState, Output>(graph: CompiledGraph<State, Output>): TestNames {
  const nodeIds = new Set<string>();
  const agentTypes = new Set<string>();
  let isOpen = false;
  const seen = new Set<unknown>();
  const open: ReadonlyMap<string, NodeDefinition>[] = [graph.nodes];
  for (let nodes = open.pop(); nodes !== undefined; nodes = open.pop()) {
    for (const [id, node] of nodes) {
      nodeIds.add(id);
      for (const use of node.uses ?? []) if (use.kind === "agentType") agentTypes.add(use.name);
      if (node.calls !== undefined) isOpen = true;
      const ref = node.subgraph?.ref;
      if (ref === undefined || seen.has(ref)) continue;
      seen.add(ref);
      if (hasNodes(ref)) open.push(ref.nodes);
      else isOpen = true;
    }
  }
  return { nodeIds, agentTypes, isOpen };
}

function hasNodes(ref: unknown): ref is { readonly nodes: ReadonlyMap<string, NodeDefinition> } {
  return typeof ref === "object" && ref !== null && "nodes" in ref && ref.nodes instanceof Map;
}
