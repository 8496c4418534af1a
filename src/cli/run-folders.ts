import { existsSync, statSync } from "node:fs";
import { AtomicError } from "../contracts/index.ts";
import { visibleLine } from "../view/index.ts";
import type { WorkflowSession } from "../workflows/index.ts";

/** The folder of a run no longer exists. */
export class ProjectMissingError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly path: string,
  ) {
    super(
      "PROJECT_MISSING",
      `The run "${runId}" works in ${visibleLine(path)}, and that folder is gone. Put it back, or a link to its new place, then call again. To do everything again elsewhere, start a new run there.`,
    );
  }
}

/** The file of a run's workflow no longer exists. */
export class WorkflowFileMissingError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly path: string,
  ) {
    super(
      "WORKFLOW_FILE_MISSING",
      `The run "${runId}" executes the workflow file ${visibleLine(path)}, and that file is gone. Put it back, or a link to its new place, then call again.`,
    );
  }
}

/** By what the workflow of a run is found: its name, or the path of its file. */
export function workflowOf({ workflowName, settings }: WorkflowSession): string {
  return settings?.workflowFile ?? workflowName;
}

/**
 * @throws ProjectMissingError if the project or the working directory of a run was moved or deleted
 * @throws WorkflowFileMissingError if its workflow file was
 */
export function assertFolders({ sessionId, projectDirectory, settings }: WorkflowSession): void {
  for (const path of [projectDirectory, settings?.workingDirectory ?? projectDirectory]) {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isFolder) throw new ProjectMissingError(sessionId, path);
  }
  const file = settings?.workflowFile;
  if (file !== undefined && !existsSync(file)) throw new WorkflowFileMissingError(sessionId, file);
}
