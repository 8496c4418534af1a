import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { realPathOf } from "./real-path.ts";

/** Entries that mark the root of a project. */
export const PROJECT_MARKS = [".atomic", ".git"];

/**
 * The project of a folder, with all links followed: the nearest folder upwards that has `.atomic` or `.git`, otherwise the
 * folder itself. The home folder, its parents and the root of the file system contain more than a project, so each counts
 * only for a call in that same folder.
 */
export function findProject(workingDirectory: string, userHomeDirectory: string): string {
  const start = realPathOf(workingDirectory);
  const home = realPathOf(userHomeDirectory);
  for (let folder = start; folder !== home && dirname(folder) !== folder; folder = dirname(folder)) {
    const here = folder;
    if (PROJECT_MARKS.some((mark) => existsSync(join(here, mark)))) return folder;
  }
  return start;
}
