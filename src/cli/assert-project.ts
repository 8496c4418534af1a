import { dirname, join } from "node:path";
import { ProjectTooWideError, realPathOf } from "../discovery/trust-kit.ts";
import type { CliEnvironment } from "./environment.ts";
import type { ProjectPlace } from "./project-place.ts";

/**
 * Checks that the folder of a call can have files of a project. The home folder and the root of the file system cannot: they
 * contain other projects, and `.atomic` in the home is the user's own folder.
 *
 * @param remedy what to do instead
 * @throws ProjectTooWideError
 */
export function assertProject(
  { projectDirectory, atomicHome }: Pick<ProjectPlace, "projectDirectory" | "atomicHome">,
  { userHomeDirectory, remedy }: Pick<CliEnvironment, "userHomeDirectory"> & { readonly remedy: string },
): void {
  const isOwn = realPathOf(join(projectDirectory, ".atomic")) === realPathOf(atomicHome);
  const isHome = projectDirectory === realPathOf(userHomeDirectory);
  const own = "its folder .atomic has your own settings, for all projects";
  if (dirname(projectDirectory) === projectDirectory) {
    throw new ProjectTooWideError(projectDirectory, {
      problem: "cannot be a project: it holds the whole file system",
      remedy,
    });
  }
  if (!isHome && !isOwn) return;
  const why = isHome ? `it is your home folder${isOwn ? `, and ${own}` : ", which holds your projects"}` : own;
  throw new ProjectTooWideError(projectDirectory, { problem: `cannot be a project: ${why}`, remedy });
}
