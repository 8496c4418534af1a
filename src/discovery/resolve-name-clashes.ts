import type { DiscoveryProblem, WorkflowMetadata, WorkflowSource } from "../contracts/index.ts";

/** An entry with the names in its metadata. */
export interface NamedEntry {
  readonly metadata: WorkflowMetadata;
  /** Its file. Absent for built-in entries. */
  readonly path?: string;
}

/** An entry whose name belongs to an entry of another scope. */
export interface OverriddenEntry<T extends NamedEntry> {
  readonly entry: T;
  readonly owner: T;
}

const PRECEDENCE: readonly WorkflowSource[] = ["local", "global", "builtin"];

/**
 * Assigns each name, ignoring case, to one entry:
 *
 * 1. The project's entries win over the user's, and those over built-in ones. Overriding another scope is not reported.
 * 2. Within a scope, the first entry is listed, and each other is a problem: the name alone runs neither.
 * 3. Aliases are assigned in the same order; the other entries lose them.
 * 4. A name wins over an alias of any scope: an alias never makes a workflow unreachable.
 *
 * Returns the entries in order of precedence, with their remaining aliases.
 */
export function resolveNameClashes<T extends NamedEntry>(
  entries: readonly T[],
): {
  readonly entries: readonly T[];
  readonly overridden: readonly OverriddenEntry<T>[];
  readonly problems: readonly DiscoveryProblem[];
} {
  const ordered = PRECEDENCE.flatMap((source) => entries.filter((entry) => entry.metadata.source === source));
  const problems: DiscoveryProblem[] = [];
  const overridden: OverriddenEntry<T>[] = [];
  const byName = new Map<string, T>();
  for (const entry of ordered) {
    const key = entry.metadata.name.toLowerCase();
    const owner = byName.get(key);
    if (owner === undefined) byName.set(key, entry);
    else if (isSameScope(entry, owner)) problems.push(nameClash(entry, owner));
    else overridden.push({ entry, owner });
  }
  const byAlias = new Map<string, T>();
  const kept = [...byName.values()].map((entry) => {
    const aliases = entry.metadata.aliases.filter((alias) => {
      const key = alias.toLowerCase();
      const named = byName.get(key);
      const owner = named ?? byAlias.get(key);
      if (owner === undefined) byAlias.set(key, entry);
      else if (owner !== entry && (named || isSameScope(entry, owner))) problems.push(aliasClash(alias, entry, owner));
      return owner === undefined;
    });
    return { ...entry, metadata: { ...entry.metadata, aliases } };
  });
  return { entries: kept, overridden, problems };
}

function isSameScope(left: NamedEntry, right: NamedEntry): boolean {
  return left.metadata.source === right.metadata.source;
}

function nameClash(entry: NamedEntry, owner: NamedEntry): DiscoveryProblem {
  return {
    path: whereIs(entry),
    ...(owner.path === undefined ? {} : { otherPath: owner.path }),
    message: `Two workflow files have the name "${entry.metadata.name}": ${whereIs(owner)} and ${whereIs(entry)}.`,
    remedy: "Give one of them another name, or run each by its path: atomic run PATH.",
    severity: "error",
  };
}

function aliasClash(alias: string, entry: NamedEntry, owner: NamedEntry): DiscoveryProblem {
  return {
    path: whereIs(entry),
    message: `The alias "${alias}" of "${entry.metadata.name}" is taken by "${owner.metadata.name}" (${whereIs(owner)}).`,
    remedy: `Remove the alias, or choose another one; "${entry.metadata.name}" works without it.`,
    severity: "warning",
  };
}

function whereIs({ path }: NamedEntry): string {
  return path ?? "a built-in workflow";
}
