import type { WorkflowFile } from "../../discovery/index.ts";

/** What the process that checks a workflow file gets, as JSON in its first argument. */
export interface CheckRequest {
  readonly file: WorkflowFile;
  readonly workingDirectory: string;
  readonly importTimeoutMs: number;
  /** Begins the lines of the program's own, in case the file writes to the same pipe. */
  readonly token: string;
}
