import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isWithin } from "../../system/index.ts";
import type { EntityPlace, EntityPlacesOptions } from "./entity-place.ts";
import { IGNORED_FOLDERS, MAX_FOLDER_DEPTH } from "./list-definition-files.ts";

/** The names in a folder whose changes matter. */
export type WatchedNames = ReadonlySet<string> | "all";

/**
 * The folders in which a change can affect the definitions: those of all places with the folders in them, the folders on
 * the way to each place, and those that links of definitions lead to. Lists only folders that exist. Must not throw.
 */
export async function listFoldersToWatch(
  places: readonly EntityPlace[],
  options: EntityPlacesOptions,
): Promise<ReadonlyMap<string, WatchedNames>> {
  const found = new WatchList();
  const bases = basesOf(options);
  await Promise.all(
    places.map(async ({ kind, path, roots }) => {
      await found.addWayTo(path, bases.find((base) => path.startsWith(base + sep)) ?? dirname(path));
      if (kind === "folder") await found.addTree(path, roots);
      else await found.addTarget(path, [sep]);
    }),
  );
  return found.folders;
}

/** The folders that a person would not move, the innermost first. */
function basesOf(options: EntityPlacesOptions): readonly string[] {
  const { projectDirectory, homeDirectory, atomicHome, claudeConfigDirectory, xdgConfigDirectory } = options;
  return [projectDirectory, homeDirectory, atomicHome, claudeConfigDirectory, xdgConfigDirectory]
    .filter((path) => path !== undefined)
    .sort((left, right) => right.length - left.length);
}

class WatchList {
  readonly folders = new Map<string, Set<string> | "all">();
  /** Real paths of the trees that were added: a link may lead back. */
  readonly #visited = new Set<string>();

  /** Adds the folders from a base to a path; above the base only while folders are missing. */
  async addWayTo(path: string, base: string): Promise<void> {
    let from = base;
    while (!(await isFolder(from)) && dirname(from) !== from) from = dirname(from);
    for (const name of relative(from, path).split(sep)) {
      if (!(await isFolder(from))) return;
      this.#add(from, name);
      from = join(from, name);
    }
  }

  /** Adds a folder and the folders in it, except where a link leads out of the roots. */
  async addTree(path: string, roots: readonly string[], depth = 0): Promise<void> {
    const realPath = await realpath(path).catch(() => undefined);
    if (realPath === undefined || !roots.some((root) => isWithin(realPath, root)) || this.#visited.has(realPath))
      return;
    const entries = await readFolder(path);
    if (entries === undefined) return;
    this.#visited.add(realPath);
    this.folders.set(path, "all");
    if (depth >= MAX_FOLDER_DEPTH) return;
    await Promise.all(entries.map((entry) => this.#addEntry(entry, join(path, entry.name), { roots, depth })));
  }

  async #addEntry(
    entry: Dirent,
    path: string,
    { roots, depth }: { readonly roots: readonly string[]; readonly depth: number },
  ): Promise<void> {
    if (IGNORED_FOLDERS.has(entry.name)) return;
    if (entry.isDirectory() || entry.isSymbolicLink()) await this.addTree(path, roots, depth + 1);
    if (entry.isSymbolicLink()) await this.addTarget(path, roots);
  }

  /** Adds the folder with the file or the folder that a link leads to. */
  async addTarget(path: string, roots: readonly string[]): Promise<void> {
    const realPath = await realpath(path).catch(() => undefined);
    if (realPath !== undefined && roots.some((root) => isWithin(realPath, root)))
      this.#add(dirname(realPath), basename(realPath));
  }

  #add(folder: string, name: string): void {
    const names = this.folders.get(folder) ?? new Set<string>();
    if (names !== "all") this.folders.set(folder, names.add(name));
  }
}

/** Nothing for what is not a folder, or cannot be read. */
async function readFolder(path: string): Promise<readonly Dirent[] | undefined> {
  return await readdir(path, { withFileTypes: true }).catch(() => undefined);
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
}
