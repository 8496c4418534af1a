import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "../../system/index.ts";

/**
 * The folder whose files a run changes: the git working tree that the working directory is in, otherwise the project. Both
 * paths have no links in them.
 */
export function findWorkingTree(workingDirectory: string, projectDirectory: string): string {
  for (let folder = workingDirectory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) break;
  }
  return isWithin(workingDirectory, projectDirectory) ? projectDirectory : workingDirectory;
}
