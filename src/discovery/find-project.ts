import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { realPathOf } from "./real-path.ts";

/** What makes a folder the root of a project. */
export const PROJECT_MARKS = [".atomic", ".git"];

/**
 * The project that a folder belongs to, with all links followed: the nearest folder upwards that has `.atomic` or `.git`,
 * else the folder itself. The home, what is above it, and the root of the file system hold more than a project, so they
 * are one only for a call in that very folder.
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
