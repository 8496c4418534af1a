import { nearestName } from "../../contracts/index.ts";
import { findDependencyCycle, type TaskLinks } from "./find-dependency-cycle.ts";

/**
 * The problems of a list of tasks, one sentence each: duplicate identifiers, dependencies on missing tasks, and cycles.
 * Empty when the list is valid.
 */
export function findTaskProblems(tasks: readonly TaskLinks[]): readonly string[] {
  return [...findDuplicates(tasks), ...findUnknownDependencies(tasks), ...findCycles(tasks)];
}

function findDuplicates(tasks: readonly TaskLinks[]): readonly string[] {
  const positions = new Map<string, number[]>();
  for (const [index, { id }] of tasks.entries()) positions.set(id, [...(positions.get(id) ?? []), index + 1]);
  return [...positions]
    .filter(([, places]) => places.length > 1)
    .map(([id, places]) => `The id "${id}" is used ${places.length} times, by the tasks at ${places.join(", ")}.`);
}

function findUnknownDependencies(tasks: readonly TaskLinks[]): readonly string[] {
  const ids = new Set(tasks.map(({ id }) => id));
  return tasks.flatMap(({ id, dependencies = [] }) =>
    [...new Set(dependencies)]
      .filter((dependency) => !ids.has(dependency))
      .map((dependency) => {
        const nearest = nearestName(dependency, ids);
        const suggestion = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
        return `The task "${id}" depends on "${dependency}", which does not exist.${suggestion}`;
      }),
  );
}

/** Removes the tasks of each cycle before it looks for the next one. */
function findCycles(tasks: readonly TaskLinks[]): readonly string[] {
  const problems: string[] = [];
  let remaining = tasks;
  for (let cycle = findDependencyCycle(remaining); cycle; cycle = findDependencyCycle(remaining)) {
    const members = new Set(cycle);
    problems.push(`These tasks depend on each other in a cycle: ${cycle.join(" → ")}.`);
    remaining = remaining.filter(({ id }) => !members.has(id));
  }
  return problems;
}
