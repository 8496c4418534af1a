import { join } from "node:path";
import type { WorkflowSource } from "../contracts/index.ts";

/** The two places a user keeps things for Atomic in. */
export interface AtomicFolders {
  /** The project's root; its `.atomic` folder is looked at. */
  readonly projectDirectory: string;
  /** The user's own Atomic folder, for example `~/.atomic`, that holds `workflows/`. */
  readonly homeDirectory: string;
}

/** Where a workflow file can come from. */
export type WorkflowFileSource = Exclude<WorkflowSource, "builtin">;

/** A folder of workflow files. */
export interface WorkflowSearchPath {
  readonly path: string;
  readonly source: WorkflowFileSource;
}

/** The folders with workflow files, the one that wins first. */
export function workflowSearchPaths({ projectDirectory, homeDirectory }: AtomicFolders): readonly WorkflowSearchPath[] {
  return [
    { path: join(projectDirectory, ".atomic", "workflows"), source: "local" },
    { path: join(homeDirectory, "workflows"), source: "global" },
  ];
}
