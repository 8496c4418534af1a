/** A task's id and dependencies. */
export interface TaskLinks {
  readonly id: string;
  readonly dependencies?: readonly string[];
}

/**
 * Finds a cycle of dependencies, as the path `["a", "b", "a"]` where a needs b and b needs a. Returns undefined when there
 * is none. Dependencies on missing tasks are ignored.
 */
export function findDependencyCycle(tasks: readonly TaskLinks[]): readonly string[] | undefined {
  const links = new Map(tasks.map((task) => [task.id, task.dependencies ?? []]));
  const finished = new Set<string>();
  for (const { id } of tasks) {
    const cycle = followFrom(id, links, finished);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Depth-first with an explicit stack: a chain may exceed the call stack. */
function followFrom(
  start: string,
  links: ReadonlyMap<string, readonly string[]>,
  finished: Set<string>,
): readonly string[] | undefined {
  const path: { readonly id: string; nextIndex: number }[] = [{ id: start, nextIndex: 0 }];
  const onPath = new Set([start]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = finished.has(top.id) ? undefined : links.get(top.id)?.[top.nextIndex++];
    if (next === undefined) {
      finished.add(top.id);
      onPath.delete(top.id);
      path.pop();
    } else if (onPath.has(next)) {
      const ids = path.map(({ id }) => id);
      return [...ids.slice(ids.indexOf(next)), next];
    } else if (links.has(next) && !finished.has(next)) {
      path.push({ id: next, nextIndex: 0 });
      onPath.add(next);
    }
  }
  return undefined;
}
