import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import { describeUnreadable, isMissing } from "../unreadable-file.ts";
import type { EntityFolder } from "./entity-folders.ts";

/** A file in a folder of definitions. */
export interface ListedFile {
  /** As a person would write it. */
  readonly path: string;
  /** Its name, derived from the path. */
  readonly name: string;
}

/** What {@link listDefinitionFiles} found. */
export interface ListedFiles {
  readonly files: readonly ListedFile[];
  readonly problems: readonly DiscoveryProblem[];
}

/** Deeper folders are not searched: no vendor's definitions are, and a link may lead in a cycle. */
export const MAX_FOLDER_DEPTH = 8;

/** Folders that hold other people's files, thousands of them. */
export const IGNORED_FOLDERS: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * Lists the definitions in a folder and the folders in it, in alphabetical order. Must not throw: what cannot be read is
 * a problem, and a folder that does not exist has no files.
 *
 * @param roots where files may really be: a link must not lead out of them
 */
export async function listDefinitionFiles(folder: EntityFolder, roots: readonly string[]): Promise<ListedFiles> {
  return await new FolderWalk(folder, roots).visit("", 0);
}

const NOTHING: ListedFiles = { files: [], problems: [] };

class FolderWalk {
  readonly #folder: EntityFolder;
  readonly #roots: readonly string[];
  /** Real paths of the folders that were visited: a link may lead back. */
  readonly #visited = new Set<string>();

  constructor(folder: EntityFolder, roots: readonly string[]) {
    this.#folder = folder;
    this.#roots = roots;
  }

  /** @param within the path of a folder below the root of the walk, with a slash at its end */
  async visit(within: string, depth: number): Promise<ListedFiles> {
    const path = join(this.#folder.path, within.replace(/\/$/, ""));
    try {
      const realPath = await realpath(path);
      if (this.#visited.has(realPath)) return NOTHING;
      this.#visited.add(realPath);
      if (!this.#isAllowed(realPath)) return refused(path, `The link leads out of its root, to ${realPath}`);
      const entries = (await readdir(path, { withFileTypes: true })).sort(byName);
      const own = this.#ownEntries(entries);
      const found = await Promise.all(own.map((entry) => this.#take(entry, within, depth)));
      return { files: found.flatMap(({ files }) => files), problems: found.flatMap(({ problems }) => problems) };
    } catch (error) {
      return within === "" && isMissing(error) ? NOTHING : { files: [], problems: [describeUnreadable(path, error)] };
    }
  }

  #ownEntries(entries: readonly Dirent[]): readonly Dirent[] {
    const { only } = this.#folder;
    if (only !== undefined) return entries.filter(({ name }) => name === only.file);
    return entries.some(({ name }) => this.#isWholeFolder(name))
      ? entries.filter((entry) => entry.isDirectory() || this.#isWholeFolder(entry.name))
      : entries;
  }

  /** Whether a file defines its folder, in which the other files are its own. */
  #isWholeFolder(name: string): boolean {
    return this.#folder.type === "command" && this.#folder.endings.includes(`/${name}`);
  }

  async #take(entry: Dirent, within: string, depth: number): Promise<ListedFiles> {
    const place = within + entry.name;
    const path = join(this.#folder.path, place);
    if (IGNORED_FOLDERS.has(entry.name)) return NOTHING;
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path)))) {
      if (this.#folder.isFlat === true || depth >= MAX_FOLDER_DEPTH) return NOTHING;
      const found = await this.visit(`${place}/`, depth + 1);
      const isEmpty = found.files.length === 0 && found.problems.length === 0;
      return isEmpty && depth === 0 && this.#isSkill(entry.name)
        ? ignored(path, "The folder has no SKILL.md", WRITE_SKILL)
        : found;
    }
    const ending = this.#folder.endings.find((each) => `/${place}`.endsWith(each));
    if (ending === undefined) return this.#explainIgnored(path, entry.name, depth);
    return await this.#takeFile(path, `/${place}`.slice(1, -ending.length), entry);
  }

  /** A file that its author may have meant as a definition. */
  #explainIgnored(path: string, name: string, depth: number): ListedFiles {
    if (/^readme\.md$/i.test(name)) return NOTHING;
    const ending = this.#folder.endings.find((each) => `/${name}`.toLowerCase().endsWith(each.toLowerCase()));
    if (ending !== undefined) {
      const right = `${`/${name}`.slice(1, -ending.length)}${ending.replace(/^\//, "")}`;
      return ignored(
        path,
        "The file is not read, because capital and small letters count in its name",
        `Rename it to ${right}.`,
      );
    }
    if (depth > 0 || !this.#isSkill(name) || !/\.md$/i.test(name)) return NOTHING;
    const remedy = `Move it to ${name.replace(/\.md$/i, "")}/SKILL.md.`;
    return ignored(path, "The file is not read: a skill is a folder with a SKILL.md", remedy);
  }

  /** Whether an entry of this folder is meant to be a skill. */
  #isSkill(name: string): boolean {
    return this.#folder.type === "skill" && !/^[._]/.test(name);
  }

  async #takeFile(path: string, place: string, entry: Dirent): Promise<ListedFiles> {
    if (entry.isSymbolicLink()) {
      const realPath = await realpath(path).catch(() => undefined);
      if (realPath === undefined) return refused(path, "The link points to nothing");
      if (!this.#isAllowed(realPath)) return refused(path, `The link leads out of its root, to ${realPath}`);
    } else if (!entry.isFile()) return refused(path, "This is not a regular file");
    return { files: [{ path, name: this.#nameOf(place, path) }], problems: [] };
  }

  /** Without a separator the folders are no part of a name; a skill has that of its folder. */
  #nameOf(place: string, path: string): string {
    if (this.#folder.type === "skill") return dirname(path).split(sep).at(-1) ?? place;
    const { separator } = this.#folder;
    if (this.#folder.only?.name !== undefined) return this.#folder.only.name;
    if (place === "") return basename(this.#folder.path);
    const parts = place.split("/");
    return separator === undefined ? (parts.at(-1) ?? place) : parts.join(separator);
  }

  #isAllowed(realPath: string): boolean {
    return this.#roots.some((root) => isWithin(realPath, root));
  }
}

const WRITE_SKILL = "Write it, or remove the folder.";

/** What no vendor reads. */
function ignored(path: string, message: string, remedy: string): ListedFiles {
  return { files: [], problems: [{ path, message, remedy, severity: "warning" }] };
}

function refused(path: string, message: string): ListedFiles {
  return {
    files: [],
    problems: [{ path, message, remedy: "Replace it with the file itself, or remove it.", severity: "error" }],
  };
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
}
