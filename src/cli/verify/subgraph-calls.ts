import type { JsonObject } from "../../contracts/index.ts";
import { CompiledGraph, type NodeDefinition } from "../../graph/index.ts";

/** A node that runs a workflow by its name. */
export interface SubgraphCall {
  readonly nodeId: string;
  readonly workflow: string;
  /** What the node builds it with; `in-run` if only a run knows it. @default the workflow's `defaultConfig` */
  readonly config?: JsonObject | "in-run";
  /** Where the name is written, if that is not the node's own code. */
  readonly place?: string;
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
  return nodesWithin(graph).flatMap(({ id, subgraph, calls }) => [
    ...(typeof subgraph?.ref === "string"
      ? [{ nodeId: id, workflow: subgraph.ref, ...(subgraph.config && { config: subgraph.config }) }]
      : []),
    ...(calls?.workflows ?? []).map(({ name, place }) => ({ nodeId: id, workflow: name, place })),
  ]);
}

/** A workflow with the config of a call: with another one, it may run others. */
export interface CalledWorkflow {
  readonly key: string;
  readonly name: string | undefined;
}

/** The shortest way from a workflow back to itself with any config, by names; undefined without one. Pure. */
export function findSubgraphCycle(
  start: CalledWorkflow,
  calledBy: (key: string) => readonly CalledWorkflow[],
): readonly string[] | undefined {
  const { name: own } = start;
  if (own === undefined) return undefined;
  const seen = new Set<string>();
  let paths: readonly (readonly [key: string, names: readonly string[]])[] = [[start.key, [own]]];
  while (paths.length > 0) {
    const longer: (readonly [string, readonly string[]])[] = [];
    for (const [from, names] of paths) {
      for (const { key, name = "" } of calledBy(from)) {
        if (name === own) return [...names, name];
        if (seen.has(key)) continue;
        seen.add(key);
        longer.push([key, [...names, name]]);
      }
    }
    paths = longer;
  }
  return undefined;
}
