import { lstat, open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { isWithin } from "../../../system/index.ts";
import { exists } from "./file-places.ts";

/** The longest path that systems open, in characters. */
const MAX_PATH_LENGTH = 4_096;

/** The most that is read of one of git's files, in bytes. */
const MAX_BYTES = 262_144;

/** What makes a folder a repository for git: all names of one line. `commondir` names the folder with the rest. */
const MARKS: readonly (readonly string[])[] = [
  ["HEAD", "objects", "refs"],
  ["HEAD", "commondir"],
];

/** What git reads and runs in its own folder. Anything else in there may be a working tree. */
const OWN_NAMES =
  /^(?:branches|commondir|config(?:\.worktree)?|HEAD|hooks|info|lfs|logs|modules|objects|rebase-(?:apply|merge)|refs|sequencer|worktrees)$/i;

/**
 * The folders around the given files from which git takes hooks or settings: a change of such a file determines what git
 * runs. These are all repositories around a file, under any name; the repositories that a `.git` file there names; and the
 * folder that `core.hooksPath` of such a repository names. The file counts as if it existed: `HEAD` beside `objects` and
 * `refs` makes a folder a repository. All paths are absolute. Never rejects.
 */
export async function gitFoldersOf(
  files: readonly string[],
  { workingDirectory }: { readonly workingDirectory: string },
): Promise<readonly string[]> {
  const found = await Promise.all(files.map((file) => foldersAround(file, workingDirectory)));
  return [...new Set(found.flat())];
}

async function foldersAround(file: string, workingDirectory: string): Promise<readonly string[]> {
  const around = placesAround(file);
  const [repositories, named] = await Promise.all([
    Promise.all(around.map(async (place) => ((await isRepository(place)) ? [place.folder] : []))),
    Promise.all(around.map(({ folder }) => foldersNamedIn(folder))),
  ]);
  const known = [...repositories.flat(), ...named.flatMap((one) => one.repositories)];
  const hooks = named.flatMap((one) => one.hooks);
  return [
    ...known.filter((folder) => isWithin(file, folder) && isOwn(folder, file, workingDirectory)),
    ...hooks.filter((folder) => isWithin(file, folder)),
  ];
}

/** A folder around a file, or the file itself. */
interface Place {
  readonly folder: string;
  /** The next part of the file's path. */
  readonly next: string;
}

function placesAround(file: string): readonly Place[] {
  const { root } = path.parse(file);
  const names = file.slice(root.length).split(path.sep);
  const places: Place[] = [];
  for (let [index, folder] = [0, root]; folder.length <= MAX_PATH_LENGTH && index <= names.length; index++) {
    const next = names[index] ?? "";
    places.push({ folder, next });
    folder = path.join(folder, next);
  }
  return places;
}

/** A repository above the working directory may contain it as a working tree. */
function isOwn(folder: string, file: string, workingDirectory: string): boolean {
  const isAbove = folder !== workingDirectory && isWithin(workingDirectory, folder);
  if (!isAbove || !isWithin(file, workingDirectory)) return true;
  return OWN_NAMES.test(path.relative(folder, file).split(path.sep)[0] ?? "");
}

/** Whether git takes the folder for a repository, or would once the file exists. */
async function isRepository({ folder, next }: Place): Promise<boolean> {
  const made = next.toLowerCase();
  const has = async (name: string) => name.toLowerCase() === made || (await exists(path.join(folder, name)));
  const complete = await Promise.all(
    MARKS.map(async (names) => (await Promise.all(names.map(has))).every((isThere) => isThere)),
  );
  return complete.includes(true);
}

interface NamedFolders {
  readonly repositories: readonly string[];
  readonly hooks: readonly string[];
}

/** The folders that a working tree's `.git` file or folder leads to. */
async function foldersNamedIn(workTree: string): Promise<NamedFolders> {
  const dotGit = path.join(workTree, ".git");
  const entry = await lstat(dotGit).catch(() => undefined);
  if (entry === undefined) return { repositories: [], hooks: [] };
  const target = entry.isDirectory() ? undefined : /^gitdir: *(.+)/.exec(await readStart(dotGit))?.[1];
  const own = target === undefined ? dotGit : path.resolve(workTree, target.trim());
  const shared = (await readStart(path.join(own, "commondir"))).trim();
  const common = shared === "" ? own : path.resolve(own, shared);
  const configs = await Promise.all([path.join(common, "config"), path.join(own, "config.worktree")].map(readStart));
  const hooks = configs.flatMap(hookPathsIn).map((named) => path.resolve(workTree, expandHome(named)));
  return { repositories: [own, common], hooks };
}

function expandHome(named: string): string {
  return named.replace(/^~(?=\/|$)/, homedir());
}

/** The values of `core.hooksPath` in a git configuration; files that it includes are not read. */
function hookPathsIn(config: string): readonly string[] {
  const paths: string[] = [];
  let isCore = false;
  for (const line of config.split(/\r?\n/)) {
    const section = /^\s*\[([^\]]*)\]/.exec(line);
    if (section !== null) isCore = section[1]?.trim().toLowerCase() === "core";
    const value = /^\s*hookspath\s*=\s*(.*)$/i.exec(section === null ? line : line.slice(section[0].length))?.[1];
    if (isCore && value !== undefined) paths.push(plainValue(value));
  }
  return paths.filter((value) => value !== "");
}

/** Removes quotes, comments and escapes. */
function plainValue(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1];
  return (quoted ?? value.replace(/\s*[#;].*$/, "")).replace(/\\(.)/g, "$1").trim();
}

/** The start of a file; empty when it cannot be read. Reads plain files only: others, such as pipes, could block. */
async function readStart(file: string): Promise<string> {
  const entry = await stat(file).catch(() => undefined);
  const handle = entry?.isFile() ? await open(file).catch(() => undefined) : undefined;
  if (handle === undefined) return "";
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  } finally {
    await handle.close();
  }
}
