import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../system/index.ts";

/**
 * The folder whose files a run changes: the git working tree that the working directory is in, otherwise the project. Both
 * paths have no links in them.
 */
export function findWorkingTree(workingDirectory: string, projectDirectory: string): string {
  for (let folder = workingDirectory; ; folder = dirname(folder)) {
    if (isWorkingTree(folder)) return folder;
    if (folder === dirname(folder)) break;
  }
  return isWithin(workingDirectory, projectDirectory) ? projectDirectory : workingDirectory;
}

/**
 * As git decides: something else named `.git`, such as an empty folder, makes no working tree. Nor does what cannot be read: git
 * cannot work there either.
 */
function isWorkingTree(folder: string): boolean {
  try {
    return hasGitFolder(folder);
  } catch {
    return false;
  }
}

function hasGitFolder(folder: string): boolean {
  const path = join(folder, ".git");
  const type = typeOf(path);
  if (type === "folder") return isGitFolder(path);
  if (type !== "file") return false;
  // That of a linked worktree or of a submodule.
  const [, target] = /^gitdir: (.+?)\n*$/s.exec(readFileSync(path, "utf8")) ?? [];
  return target !== undefined && isGitFolder(resolve(folder, target));
}

function isGitFolder(path: string): boolean {
  if (typeOf(join(path, "HEAD")) !== "file") return false;
  if (typeOf(join(path, "commondir")) === "file") return true;
  return ["objects", "refs"].every((name) => typeOf(join(path, name)) === "folder");
}

function typeOf(path: string): "file" | "folder" | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return "file";
  return found?.isDirectory() ? "folder" : undefined;
}
