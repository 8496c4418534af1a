import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isWithin } from "../../system/index.ts";
import { realPathOf } from "../real-path.ts";

/**
 * The folders of a project in which its vendors look for definitions: from the working directory up to the root, the
 * nearest first. Only the root for a working directory elsewhere.
 */
export function projectDirectoriesOf({
  projectDirectory,
  workingDirectory = projectDirectory,
}: {
  readonly projectDirectory: string;
  readonly workingDirectory?: string;
}): readonly string[] {
  const root = realPathOf(projectDirectory);
  const start = realPathOf(workingDirectory);
  if (!isWithin(start, root)) return [projectDirectory];
  const names = relative(root, start).split(sep).filter(Boolean);
  const nested = names.map((_, index) => join(projectDirectory, ...names.slice(0, index + 1)));
  return [...nested.toReversed(), projectDirectory];
}

/**
 * The folders above a project that are in the same repository, the nearest first: vendors look there, too, and Atomic does
 * not. None where the project is the root of the repository, or in none.
 */
export function directoriesAboveProject(projectDirectory: string, homeDirectory: string): readonly string[] {
  const home = realPathOf(homeDirectory);
  const folders: string[] = [];
  for (let folder = realPathOf(projectDirectory); !existsSync(join(folder, ".git")); folder = dirname(folder)) {
    const above = dirname(folder);
    if (above === folder || above === home) return [];
    folders.push(above);
  }
  return folders;
}
