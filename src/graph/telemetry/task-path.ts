/** A level above a visit of a node. `key` identifies it within the run; `name` is the author's. */
export type TaskLevel =
  | { readonly kind: "subgraph"; readonly key: string; readonly name: string }
  | { readonly kind: "fork"; readonly key: string; readonly name: string }
  | { readonly kind: "branch"; readonly key: string; readonly name: string };

/**
 * The levels around a visit, outermost first, from its id: `parallel_1#2[search]/deep/find` is in the graph of the node
 * `deep`, in the branch `search` of the second visit of `parallel_1`.
 */
export function levelsOf(taskId: string): readonly TaskLevel[] {
  const levels: TaskLevel[] = [];
  let before = "";
  for (const segment of taskId.split("/").slice(0, -1)) {
    const bracket = segment.indexOf("[");
    if (bracket === -1) levels.push({ kind: "subgraph", key: before + segment, name: withoutCount(segment) });
    else {
      const fork = segment.slice(0, bracket);
      const branch = segment.slice(bracket + 1, -1);
      levels.push({ kind: "fork", key: `${before}${fork}[`, name: withoutCount(fork) });
      levels.push({ kind: "branch", key: before + segment, name: branch });
    }
    before += `${segment}/`;
  }
  return levels;
}

/** The author's id, without the count of the visit. */
function withoutCount(visit: string): string {
  return visit.replace(/#\d+$/, "");
}
