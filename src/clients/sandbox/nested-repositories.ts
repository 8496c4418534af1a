import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { SandboxInvalidError } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import {
  findCommonFolder,
  findGitFolderOf,
  type Guards,
  guardGitFolders,
  guardTopFolder,
  pathsBetween,
} from "./git-places.ts";

/** Repositories in the folders that an agent can write to. */
export interface NestedRepositories extends Guards {
  /** Their working trees. */
  readonly workTrees: readonly string[];
  /** Git folders that are writable except for the guarded files in them. */
  readonly gitFolders: readonly string[];
}

/** Settings of {@link guardNestedRepositories}. */
export interface NestedRepositoriesOptions {
  /** Git folders that the caller guards. Absolute, with links followed. */
  readonly known: readonly string[];
  /** @default 50 */
  readonly maxRepositories?: number;
  /** @default 200_000 */
  readonly maxFolders?: number;
  /** @default 1500 */
  readonly maxMounts?: number;
}

/** Folders read at the same time. */
const BATCH_SIZE = 32;

/** Package managers put no repositories in these folders, which contain most folders of a project. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules"]);

/** Bubblewrap takes 9,000 arguments, three for each mount. Those that are left are for the project and the agent. */
const MAX_MOUNTS = 1500;

/** The mounts for folders that become read-only, because they contain repositories above the limit. */
const MAX_READ_ONLY_MOUNTS = 500;

/**
 * Finds the repositories in some folders and guards their settings and hooks, whether or not an index lists them as
 * submodules: `git add` and a checkout of another branch turn any repository into a submodule, and `git status` then runs
 * the programs that its settings name. A repository needs about ten mounts, so those after the first `maxRepositories`
 * become read-only as a whole, and so do the folders with `.git` entries for which no mounts are left.
 *
 * @throws SandboxInvalidError when there are too many folders to search, or too many with repositories
 */
export async function guardNestedRepositories(
  roots: readonly string[],
  { known, maxRepositories = 50, maxFolders = 200_000, maxMounts = MAX_MOUNTS }: NestedRepositoriesOptions,
): Promise<NestedRepositories> {
  const found = (await findGitEntries(roots, maxFolders)).filter((entry) => !known.includes(entry));
  const mounts = new MountCount(roots);
  const all: Guards[] = [];
  const rest: string[] = [];
  const entries: string[] = [];
  for (const entry of found) {
    const guards = guardEntry(entry);
    // The other half is for the repositories.
    if (!mounts.add(guards.guarded, maxMounts / 2)) {
      rest.push(path.dirname(entry));
    } else {
      all.push(guards);
      entries.push(entry);
    }
  }
  const readOnly = mergeFolders(rest, roots);
  const gitFolders: string[] = [];
  let count = 0;
  for (const [common, used] of groupRepositories(entries, { roots, known })) {
    const guards = guardGitFolders(common, used);
    count += 1;
    if (count > maxRepositories || !mounts.add(guards.guarded, maxMounts)) {
      all.push({ guarded: [common, ...used], placeholders: [] });
    } else {
      all.push(guards);
      gitFolders.push(common, ...used.filter((folder) => !isWithin(folder, common)));
    }
  }
  const isOpen = (file: string) => !readOnly.some((folder) => isWithin(file, folder));
  return {
    guarded: [...readOnly, ...all.flatMap(({ guarded }) => guarded).filter(isOpen)],
    placeholders: all.flatMap(({ placeholders }) => placeholders).filter((placeholder) => isOpen(placeholder.path)),
    gitFolders: gitFolders.filter(isOpen),
    workTrees: entries.map((entry) => path.dirname(entry)).filter(isOpen),
  };
}

/** A `.git` file or link must keep naming its git folder. The placeholder is needed for damaged ones, too. */
function guardEntry(entry: string): Guards {
  const { guarded, placeholders } = guardTopFolder(path.dirname(entry));
  return { guarded: findGitFolderOf(entry) === entry ? guarded : [entry, ...guarded], placeholders };
}

/** The git folders in the roots that `.git` entries are or name, each with those of its worktrees that are there. */
function groupRepositories(
  entries: readonly string[],
  { roots, known }: { readonly roots: readonly string[]; readonly known: readonly string[] },
): ReadonlyMap<string, readonly string[]> {
  const isNew = (folder: string) =>
    roots.some((root) => isWithin(folder, root)) && !known.some((other) => isWithin(folder, other));
  const groups = new Map<string, string[]>();
  for (const entry of entries) {
    const own = findGitFolderOf(entry);
    if (own === undefined) continue;
    const common = findCommonFolder(own);
    const key = isNew(common) ? common : own;
    if (!isNew(key)) continue;
    const used = groups.get(key) ?? [];
    groups.set(key, own === key || !isNew(own) ? used : [...used, own]);
  }
  return groups;
}

/** Counts mounts: one for each guard, and one for each folder between it and its root, which must not be renamed. */
class MountCount {
  readonly #mounted = new Set<string>();
  constructor(private readonly roots: readonly string[]) {}

  /** Adds files, unless there would be more than `max` mounts. Returns whether it added them. */
  add(files: readonly string[], max: number): boolean {
    const added = new Set(files.flatMap((file) => this.#pathsTo(file)).filter((name) => !this.#mounted.has(name)));
    if (this.#mounted.size + added.size > max) return false;
    for (const name of added) this.#mounted.add(name);
    return true;
  }

  #pathsTo(file: string): readonly string[] {
    const root = this.roots.find((folder) => isWithin(file, folder));
    return root === undefined ? [file] : pathsBetween(root, file);
  }
}

/** The deepest folders that contain all of some folders and need at most {@link MAX_READ_ONLY_MOUNTS}. */
function mergeFolders(folders: readonly string[], roots: readonly string[]): readonly string[] {
  const paths = folders.map((folder) => {
    const root = roots.find((name) => isWithin(folder, name)) ?? folder;
    return folder === root ? [folder] : pathsBetween(root, folder);
  });
  for (let depth = Math.max(0, ...paths.map(({ length }) => length)); depth > 0; depth--) {
    // Each list has an element, so the last is there.
    const merged = new Set(paths.map((list) => list[Math.min(depth, list.length) - 1] as string));
    if (new MountCount(roots).add([...merged], MAX_READ_ONLY_MOUNTS)) return [...merged];
  }
  if (folders.length === 0) return [];
  const problem = `the folders that the agent can write to contain too many repositories to protect them all: ${folders.length} are left over, such as "${folders[0]}". List all with: find . -name .git. Remove those that you do not know, move the others into one folder, or choose smaller folders.`;
  throw new SandboxInvalidError("sandbox.writeRoots", problem);
}

/** Every `.git` in some folders, in the order of their depths and names. */
async function findGitEntries(roots: readonly string[], maxFolders: number): Promise<readonly string[]> {
  const entries = new Set<string>();
  const open = [...roots];
  for (let count = 0; open.length > 0; ) {
    const batch = open.splice(-BATCH_SIZE);
    count += batch.length;
    if (count > maxFolders) {
      const problem = `the folders that the agent can write to contain more than ${maxFolders.toLocaleString("en-US")} folders. Choose smaller ones.`;
      throw new SandboxInvalidError("sandbox.writeRoots", problem);
    }
    const lists = await Promise.all(batch.map(async (folder) => ({ folder, list: await entriesOf(folder) })));
    for (const { folder, list } of lists) {
      for (const entry of list) {
        const file = path.join(folder, entry.name);
        if (entry.name === ".git") entries.add(file);
        else if (entry.isDirectory() && !SKIPPED.has(entry.name)) open.push(file);
      }
    }
  }
  // Those that somebody planted in great numbers in one place come last.
  const depthOf = (entry: string) => entry.split(path.sep).length;
  return [...entries].sort().sort((one, other) => depthOf(one) - depthOf(other));
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // The agent, which runs as the same user, cannot list it either.
  }
}
