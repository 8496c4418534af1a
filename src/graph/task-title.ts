import type { Task } from "./run-state.ts";

/** What a visit of a node is called for people. A `title` that fails costs the visit its title, not the run. */
export function titleOf({ node, thread }: Task): string {
  const name = node.name ?? node.id;
  if (node.title === undefined) return name;
  try {
    return node.title(thread.state);
  } catch {
    return name;
  }
}
