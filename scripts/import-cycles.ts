/** Which files each file imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/**
 * The circles in a graph: for each group of files that all reach each other, the shortest way round from its
 * alphabetically first file that lies on one. Each circle starts and ends with the same file.
 */
export function findImportCycles(graph: ImportGraph): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const reported = new Set<string>();
  for (const start of [...graph.keys()].sort()) {
    if (reported.has(start)) continue;
    const cycle = shortestWayBack(graph, start);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const file of filesInSameGroup(graph, start)) reported.add(file);
  }
  return cycles;
}

function shortestWayBack(graph: ImportGraph, start: string): readonly string[] | undefined {
  const queue: (readonly string[])[] = [[start]];
  const seen = new Set<string>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const next of graph.get(path.at(-1) ?? "") ?? []) {
      if (next === start) return [...path, start];
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push([...path, next]);
    }
  }
  return undefined;
}

function filesInSameGroup(graph: ImportGraph, start: string): readonly string[] {
  const reached = reachableFrom(graph, start);
  return [...reached].filter((file) => reachableFrom(graph, file).has(start));
}

function reachableFrom(graph: ImportGraph, start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const next of graph.get(file) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}
