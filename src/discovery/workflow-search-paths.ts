import { join } from "node:path";
import type { WorkflowSource } from "../contracts/index.ts";

/** The two folders with a user's files for Atomic. */
export interface AtomicFolders {
  /** The project's root, which contains `.atomic`. */
  readonly projectDirectory: string;
  /** The user's own Atomic folder, for example `~/.atomic`, which contains `workflows/`. */
  readonly homeDirectory: string;
}

/** The origin of a workflow file. */
export type WorkflowFileSource = Exclude<WorkflowSource, "builtin">;

/** A folder of workflow files. */
export interface WorkflowSearchPath {
  readonly path: string;
  readonly source: WorkflowFileSource;
}

/** The folders with workflow files, in order of precedence. */
export function workflowSearchPaths(folders: AtomicFolders): readonly WorkflowSearchPath[] {
  return codeSearchPaths(folders, "workflows");
}

/** The folders with the user's code of one kind, in order of precedence. */
export function codeSearchPaths(
  { projectDirectory, homeDirectory }: AtomicFolders,
  name: "workflows" | "tools",
): readonly WorkflowSearchPath[] {
  return [
    { path: join(projectDirectory, ".atomic", name), source: "local" },
    { path: join(homeDirectory, name), source: "global" },
  ];
}
