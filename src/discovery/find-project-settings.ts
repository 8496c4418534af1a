import { existsSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readBoundedFile } from "../system/index.ts";
import { realPathOf } from "./real-path.ts";
import { PROJECT_SETTINGS, type ProjectSetting, type ProjectSettingsOwner } from "./vendor-project-settings.ts";

/** A project's file that matches a {@link ProjectSetting}. */
export interface FoundProjectSetting {
  readonly owner: ProjectSettingsOwner;
  /** Absolute. */
  readonly path: string;
  /** For people: relative to the project if it is inside. */
  readonly name: string;
  readonly effect: string;
}

/** Settings of {@link findProjectSettings}. */
export interface FindProjectSettingsOptions {
  /** The absolute folder that agents work in. Links in this and the other folders are followed. */
  readonly workingDirectory: string;
  /** The absolute root of the project as Atomic knows it. */
  readonly projectDirectory: string;
  /** Files directly in this folder are the user's own. */
  readonly userHomeDirectory: string;
  readonly owners: ReadonlySet<ProjectSettingsOwner>;
}

/**
 * Lists the files of a project that agents would load and that can run code or loosen rules, in the order of
 * `PROJECT_SETTINGS`. An unreadable or oversized file counts, an empty folder does not. Must not throw.
 */
export async function findProjectSettings(
  options: FindProjectSettingsOptions,
): Promise<readonly FoundProjectSetting[]> {
  const { owners } = options;
  const workingDirectory = realPathOf(options.workingDirectory);
  const projectDirectory = realPathOf(options.projectDirectory);
  const userHomeDirectory = realPathOf(options.userHomeDirectory);
  const folders = foldersUpward({ workingDirectory, projectDirectory, userHomeDirectory });
  const found: FoundProjectSetting[] = [];
  for (const setting of PROJECT_SETTINGS) {
    if (!owners.has(setting.owner)) continue;
    for (const folder of folders[setting.lookup]) {
      for (const path of await pathsOf(folder, setting)) {
        if (!(await counts(path, setting))) continue;
        const name = nameOf(path, projectDirectory);
        found.push({ owner: setting.owner, path, name, effect: setting.effect });
      }
    }
  }
  return found;
}

/**
 * The folders from the working directory up to the root of the project or repository, whichever is higher, and up to the
 * root of the file system. The home folder is excluded.
 */
function foldersUpward({
  workingDirectory,
  projectDirectory,
  userHomeDirectory,
}: Omit<FindProjectSettingsOptions, "owners">): Readonly<Record<ProjectSetting["lookup"], readonly string[]>> {
  const folders: string[] = [];
  let rootIndex = 0;
  for (let folder = workingDirectory; ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder !== userHomeDirectory && (folder === projectDirectory || existsSync(join(folder, ".git"))))
      rootIndex = folders.length - 1;
    if (dirname(folder) === folder) break;
  }
  const within = folders.slice(0, rootIndex + 1);
  const all = within.includes(projectDirectory) ? within : [...within, projectDirectory];
  const isNotHome = (folder: string): boolean => folder !== userHomeDirectory;
  return {
    folder: [workingDirectory].filter(isNotHome),
    upward: all.filter(isNotHome),
    "everywhere-upward": folders.filter(isNotHome),
  };
}

/** Whether the folder itself has such a file. Must not throw. */
export async function hasProjectSetting(folder: string, setting: ProjectSetting): Promise<boolean> {
  for (const path of await pathsOf(folder, setting)) if (await counts(path, setting)) return true;
  return false;
}

/** A file `.git` points to the settings of a worktree or a submodule. */
async function pathsOf(folder: string, { owner, path }: ProjectSetting): Promise<readonly string[]> {
  if (owner !== "git") return [join(folder, path)];
  return (await gitFoldersOf(folder)).map((gitFolder) => join(gitFolder, relative(".git", path)));
}

async function counts(path: string, { holds, ignoredNames }: ProjectSetting): Promise<boolean> {
  try {
    const status = await lstat(path);
    if (status.isDirectory()) return (await readdir(path)).some((name) => ignoredNames?.test(name) !== true);
    if (holds === undefined || !status.isFile()) return true;
    return holds.test(await readBoundedFile(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

/** The path of a file for people: relative to the project if it is in it. */
export function nameOf(path: string, projectDirectory: string): string {
  const name = relative(projectDirectory, path);
  return name === ".." || name.startsWith(`..${sep}`) ? path : name.split(sep).join("/");
}

/**
 * The folders with git's settings of a repository: `.git`, or the target of a file of that name. A worktree has two.
 * Links are not followed. Must not throw.
 */
export async function gitFoldersOf(folder: string): Promise<readonly string[]> {
  const path = join(folder, ".git");
  const leadsTo = /^gitdir:(.+)$/m.exec(await textOf(path))?.[1]?.trim();
  const own = leadsTo === undefined || leadsTo === "" ? path : resolve(folder, leadsTo);
  const common = (await textOf(join(own, "commondir"))).trim();
  return common === "" ? [own] : [own, resolve(own, common)];
}

/** Returns an empty text for a folder and for a missing file. */
async function textOf(path: string): Promise<string> {
  return await readBoundedFile(path).catch(() => "");
}
