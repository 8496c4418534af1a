import { existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import {
  checkFile,
  fileNameOf,
  findProjectOfFile,
  isClaudeScript,
  isWorkflowFileName,
  readClaudeScript,
  type TrustStore,
  type WorkflowFile,
} from "../../discovery/index.ts";
import { UsageError } from "../config/usage-error.ts";
import { WorkflowBrokenError, WorkflowFileUntrustedError } from "./workflow-errors.ts";

/**
 * Asks the person whether to trust a folder with these files, or has the answer already.
 *
 * @param folder the project of the files, or the folder that they are in
 */
export type ConfirmTrust = (files: readonly string[], folder: string) => Promise<boolean>;

/** Settings of {@link findOutsideFile}. */
export interface OutsideFileOptions {
  /** The path as the caller wrote it. */
  readonly name: string;
  readonly trust: TrustStore;
  readonly userHomeDirectory: string;
  /** The project of the call. */
  readonly projectDirectory: string;
  /** `undefined` if there is nobody to ask. */
  readonly confirmTrust: ConfirmTrust | undefined;
}

/**
 * A workflow file outside of the folders of workflow files, that may be executed. It needs the trust of the project that it
 * is in, otherwise of the folder that it is in.
 *
 * @param realPath with all links followed: a link does not make a file part of a project
 * @throws UsageError, WorkflowBrokenError, WorkflowFileUntrustedError, ProjectTooWideError
 */
export async function findOutsideFile(realPath: string, options: OutsideFileOptions): Promise<WorkflowFile> {
  const { name, trust, projectDirectory, confirmTrust } = options;
  assertFile(realPath, name);
  const checked = await checkFile(realPath, [dirname(realPath)]);
  if ("problem" in checked) throw new WorkflowBrokenError(name, [checked.problem]);
  const folder = findProjectOfFile(realPath, options);
  if (!(await trust.isTrusted(folder))) {
    if (!(await confirmTrust?.([realPath], folder)))
      throw new WorkflowFileUntrustedError(name, folder, { isThisProject: folder === projectDirectory });
    await trust.trust(folder);
  }
  // A resumed run finds the file by its real path, and the workflow must have the same name then.
  const file = { path: realPath, realPath, source: "local" } as const;
  if (!(await isClaudeScript(realPath))) return file;
  const { meta } = await readClaudeScript(realPath);
  return { ...file, scriptName: meta?.name ?? fileNameOf(realPath) };
}

/** @throws UsageError */
function assertFile(path: string, name: string): void {
  if (!existsSync(path)) {
    throw new UsageError(
      `There is no file "${name}". Correct the path, or list the workflows with: atomic workflows list`,
    );
  }
  if (statSync(path).isDirectory()) {
    throw new UsageError(
      `"${name}" is a folder. Name a workflow or its file; list the workflows with: atomic workflows list`,
    );
  }
  if (!isWorkflowFileName(basename(path))) {
    throw new UsageError(
      `"${name}" is not a workflow file: those end in .ts, .mts, .js or .mjs. Name a workflow or its file; list the workflows with: atomic workflows list`,
    );
  }
}
