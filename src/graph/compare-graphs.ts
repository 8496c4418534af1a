import { GraphChangedError } from "./errors.ts";
import type { Program } from "./program.ts";

/** What a journal says about the graph it was written by (E10). */
export interface RecordedGraph {
  readonly fingerprint: string;
  readonly nodes: readonly string[];
}

/** A graph as a journal keeps it. */
export function recordGraph({ fingerprint, pcOfNode }: Program): RecordedGraph {
  return { fingerprint, nodes: [...pcOfNode.keys()] };
}

/** @throws GraphChangedError when the program is not the one that was recorded */
export function assertSameGraph(runId: string, recorded: RecordedGraph, program: Program): void {
  if (recorded.fingerprint === program.fingerprint) return;
  throw new GraphChangedError(runId, compareNodes(recorded.nodes, recordGraph(program).nodes));
}

function compareNodes(before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((id) => !after.includes(id)).map((id) => `the node "${id}" is gone`);
  const added = after.filter((id) => !before.includes(id)).map((id) => `the node "${id}" is new`);
  const differences = [...gone, ...added];
  return differences.length > 0
    ? differences
    : ["the nodes are the same, but their order or the blocks around them changed"];
}
