import type { Program } from "./program.ts";

/** The journal's description of the graph that wrote it (E10). */
export interface RecordedGraph {
  readonly fingerprint: string;
  readonly nodes: readonly string[];
}

/** A graph as a journal keeps it. */
export function recordGraph({ fingerprint, pcOfNode }: Program): RecordedGraph {
  return { fingerprint, nodes: [...pcOfNode.keys()] };
}

/** Lists how a program differs from the recorded one; empty when it is the same. */
export function compareGraphs(recorded: RecordedGraph, program: Program): readonly string[] {
  return recorded.fingerprint === program.fingerprint ? [] : compareNodes(recorded.nodes, recordGraph(program).nodes);
}

function compareNodes(before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((id) => !after.includes(id)).map((id) => `the node "${id}" is gone`);
  const added = after.filter((id) => !before.includes(id)).map((id) => `the node "${id}" is new`);
  const differences = [...gone, ...added];
  return differences.length > 0
    ? differences
    : ["the nodes are the same, but their order or the blocks around them changed"];
}
