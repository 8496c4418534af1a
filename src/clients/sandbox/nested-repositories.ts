import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { SandboxInvalidError } from "../../contracts/index.ts";
import { isWithin } from "../policy/files/file-places.ts";
import { findGitFolderOf, type Guards, guardGitFolders, guardTopFolder } from "./git-places.ts";

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
}

/** Folders read at the same time. */
const BATCH_SIZE = 32;

/** Package managers put no repositories in these folders, which contain most folders of a project. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules"]);

/**
 * Finds the repositories in some folders and guards their settings and hooks, whether or not an index lists them as
 * submodules: `git add` and a checkout of another branch turn any repository into a submodule, and `git status` then runs
 * the programs that its settings name. A repository needs about ten mounts, so those after the first `maxRepositories`
 * become read-only as a whole.
 *
 * @throws SandboxInvalidError when there are too many folders to search
 */
export async function guardNestedRepositories(
  roots: readonly string[],
  { known, maxRepositories = 50, maxFolders = 200_000 }: NestedRepositoriesOptions,
): Promise<NestedRepositories> {
  const entries = (await findGitEntries(roots, maxFolders)).filter((entry) => !known.includes(entry));
  const guarded: string[] = [];
  const placeholders: Guards["placeholders"][number][] = [];
  const gitFolders: string[] = [];
  for (const entry of entries) {
    const folder = findGitFolderOf(entry);
    const isSingle = folder !== undefined && ![...known, ...gitFolders].some((other) => isWithin(folder, other));
    const isInside = folder !== undefined && roots.some((root) => isWithin(folder, root));
    if (folder !== entry) guarded.push(entry);
    // Also with a damaged `.git`: the placeholder of an earlier sandbox must stay.
    const top = guardTopFolder(path.dirname(entry));
    guarded.push(...top.guarded);
    placeholders.push(...top.placeholders);
    if (!isSingle || !isInside) continue;
    if (gitFolders.length >= maxRepositories) {
      guarded.push(folder);
      continue;
    }
    const guards = guardGitFolders(folder, folder);
    guarded.push(...guards.guarded);
    placeholders.push(...guards.placeholders);
    gitFolders.push(folder);
  }
  return { guarded, placeholders, gitFolders, workTrees: entries.map((entry) => path.dirname(entry)) };
}

/** Every `.git` in some folders, in the order of their names. */
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
  return [...entries].sort();
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // The agent, which runs as the same user, cannot list it either.
  }
}
