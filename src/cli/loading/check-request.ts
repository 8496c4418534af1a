import type { CheckedToolFile, FileResult, ListedWorkflow, WorkflowFile } from "../../discovery/index.ts";

/** The first argument that makes a compiled Atomic the program that checks a file of the user's code. */
export const CHECK_PROGRAM = "--check-file";

/** What the process that checks a file of the user's code gets, as JSON on its standard input. */
export interface CheckRequest {
  readonly kind: CheckedKind;
  readonly file: WorkflowFile;
  /** Files to check in the same process, one after the other, until the first in which something is wrong. */
  readonly others: readonly WorkflowFile[];
  readonly workingDirectory: string;
  readonly importTimeoutMs: number;
  /** Begins the lines of the program's own, in case the file writes to the same pipe. */
  readonly token: string;
}

/** The result of a check, by what the file defines. Of a file that cannot be loaded, only the problems are known. */
export interface CheckResults {
  readonly workflow: FileResult<ListedWorkflow>;
  readonly tools: CheckedToolFile;
}

/** What a file defines. */
export type CheckedKind = keyof CheckResults;

/** Where code that a file should not run at its top level belongs. */
export const PLACE_FOR_CODE: Readonly<Record<CheckedKind, string>> = {
  workflow: "a node",
  tools: "the tool's function",
};
