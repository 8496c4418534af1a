import type { DiscoveryProblem, WorkflowMetadata, WorkflowSource } from "../contracts/index.ts";

/** Anything that answers to the names in its metadata. */
export interface NamedEntry {
  readonly metadata: WorkflowMetadata;
  /** The file it comes from; built-in ones have none. */
  readonly path?: string;
}

/** An entry without a name, because one of another scope comes first. */
export interface OverriddenEntry<T extends NamedEntry> {
  readonly entry: T;
  readonly owner: T;
}

const PRECEDENCE: readonly WorkflowSource[] = ["local", "global", "builtin"];

/**
 * Gives every name, without regard to case, to one entry. Rules:
 *
 * 1. A name belongs to the project before the user before the built-in ones; overriding another scope is silent.
 * 2. Within one scope the first entry has the name, and the other is a problem.
 * 3. An alias belongs, by the same order, to one entry; the others go without it.
 * 4. A name comes before an alias, in whatever scope: an alias never makes a workflow unreachable.
 *
 * Entries come back in the order of precedence, with the aliases that are left to them.
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
    message: `The name "${entry.metadata.name}" is taken by ${whereIs(owner)}, so ${whereIs(entry)} is left out.`,
    remedy: "Give one of the two files another name.",
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
