import { statSync } from "node:fs";
import { AtomicError } from "../contracts/index.ts";
import type { WorkflowSession } from "../workflows/index.ts";
import { visibleLine } from "./visible/visible-text.ts";

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

/** @throws ProjectMissingError if the project or the working directory of a run was moved or deleted */
export function assertFolders({ sessionId, projectDirectory, settings }: WorkflowSession): void {
  for (const path of [projectDirectory, settings?.workingDirectory ?? projectDirectory]) {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isFolder) throw new ProjectMissingError(sessionId, path);
  }
}
