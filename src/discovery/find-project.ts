import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "../system/index.ts";
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
    if (isMarked(folder)) return folder;
  }
  return start;
}

function isMarked(folder: string): boolean {
  return PROJECT_MARKS.some((mark) => existsSync(join(folder, mark)));
}

/**
 * The project that a file is part of, for a call in a project: that project, or a nearer one. A file that is in no project is
 * part of the folder that it is in.
 *
 * @param path with all links followed
 * @param projectDirectory the result of {@link findProject} for the call
 */
export function findProjectOfFile(
  path: string,
  { projectDirectory, userHomeDirectory }: { readonly projectDirectory: string; readonly userHomeDirectory: string },
): string {
  const folder = findProject(dirname(path), userHomeDirectory);
  if (isMarked(folder) || !isWithin(path, projectDirectory)) return folder;
  // The home folder and its parents contain more than a project.
  return isWithin(realPathOf(userHomeDirectory), projectDirectory) ? folder : projectDirectory;
}
