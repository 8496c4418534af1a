import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { realPathOf } from "../../discovery/index.ts";
import { UsageError } from "../config/usage-error.ts";

/** The extensions of workflow files; the first is that of a new one. */
export const WORKFLOW_EXTENSIONS = [".ts", ".mts", ".js", ".mjs"];

/** A project, and the user's own folder. */
export interface WorkflowPlace {
  readonly projectDirectory: string;
  readonly atomicHome: string;
}

/** The folder of a project's workflow files. */
export function workflowFolderOf(projectDirectory: string): string {
  return join(projectDirectory, ".atomic", "workflows");
}

/** The file that a workflow of this name has in a project, if there is one. */
export function findFileNamed(projectDirectory: string, name: string): string | undefined {
  const folder = workflowFolderOf(projectDirectory);
  return WORKFLOW_EXTENSIONS.map((extension) => join(folder, name + extension)).find((path) => existsSync(path));
}

/**
 * Creates a project's folder of workflow files, if need be.
 *
 * @throws UsageError when a link leads it out of the project, where its files would not be loaded, or a file is in its place
 */
export async function createWorkflowFolder({ projectDirectory, atomicHome }: WorkflowPlace): Promise<string> {
  const own = join(projectDirectory, ".atomic");
  const folder = workflowFolderOf(projectDirectory);
  // In the home, the folder is the user's, who may link it.
  const isUsers = realPathOf(own) === realPathOf(atomicHome);
  if (!isUsers) assertInside(own, projectDirectory);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const isFile = error instanceof Error && "code" in error && (error.code === "EEXIST" || error.code === "ENOTDIR");
    throw isFile
      ? new UsageError(`${folder} cannot be created, because a file is in its place. Move the file.`)
      : error;
  }
  if (!isUsers) assertInside(folder, projectDirectory);
  return folder;
}

function assertInside(folder: string, projectDirectory: string): void {
  const real = realPathOf(folder);
  if (real.startsWith(realPathOf(projectDirectory) + sep)) return;
  throw new UsageError(
    `${folder} leads out of the project, to ${real}. Replace the link with a folder: workflows outside are not loaded.`,
  );
}
