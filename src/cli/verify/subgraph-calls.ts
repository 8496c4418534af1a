import type { JsonObject } from "../../contracts/index.ts";
import { CompiledGraph, type NodeDefinition } from "../../graph/index.ts";

/** A node that runs a workflow by its name. */
export interface SubgraphCall {
  readonly nodeId: string;
  readonly workflow: string;
  /** What the node builds it with; `in-run` if only a run knows it. @default the workflow's `defaultConfig` */
  readonly config?: JsonObject | "in-run";
  /** The workflow that has the node, if it is not the one that is checked. */
  readonly owner?: string;
}

/** The nodes of a graph, and of the graphs inside it; each graph once. */
export function nodesWithin(graph: CompiledGraph): readonly NodeDefinition[] {
  const seen = new Set<CompiledGraph>([graph]);
  const nodes: NodeDefinition[] = [];
  // The set grows while it is read.
  for (const current of seen) {
    nodes.push(...current.nodes.values());
    for (const { subgraph } of current.nodes.values()) {
      if (subgraph?.ref instanceof CompiledGraph) seen.add(subgraph.ref);
    }
  }
  return nodes;
}

/** The nodes of a graph, and of the graphs inside it, that run a workflow by its name. */
export function subgraphCalls(graph: CompiledGraph): readonly SubgraphCall[] {
  return nodesWithin(graph).flatMap(({ id, subgraph }) =>
    typeof subgraph?.ref === "string"
      ? [{ nodeId: id, workflow: subgraph.ref, ...(subgraph.config && { config: subgraph.config }) }]
      : [],
  );
}

/**
 * The shortest way from a workflow back to itself, from its name to its name; undefined without one.
 *
 * @param callsOf the names of the workflows that a workflow runs
 */
export async function findSubgraphCycle(
  start: string,
  callsOf: (name: string) => Promise<readonly string[]>,
): Promise<readonly string[] | undefined> {
  const seen = new Set<string>();
  let paths: readonly (readonly string[])[] = [[start]];
  while (paths.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const path of paths) {
      for (const name of await callsOf(path.at(-1) ?? start)) {
        if (name === start) return [...path, name];
        if (seen.has(name)) continue;
        seen.add(name);
        longer.push([...path, name]);
      }
    }
    paths = longer;
  }
  return undefined;
}
