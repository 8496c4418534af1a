import type { WorkflowFile } from "../../discovery/index.ts";

/** The first argument that makes a compiled Atomic the program that checks a workflow file. */
export const CHECK_PROGRAM = "--check-workflow-file";

/** What the process that checks a workflow file gets, as JSON in its last argument. */
export interface CheckRequest {
  readonly file: WorkflowFile;
  readonly workingDirectory: string;
  readonly importTimeoutMs: number;
  /** Begins the lines of the program's own, in case the file writes to the same pipe. */
  readonly token: string;
}
