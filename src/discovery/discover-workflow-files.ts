import { readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { DiscoveryProblem } from "../contracts/index.ts";
import { MAX_FILE_BYTES } from "../system/index.ts";
import { findNestedFiles } from "./find-nested-files.ts";
import { isScriptFile } from "./is-script-file.ts";
import { realPathOf } from "./real-path.ts";
import { describeUnreadable } from "./unreadable-file.ts";
import {
  type AtomicFolders,
  codeSearchPaths,
  type WorkflowFileSource,
  type WorkflowSearchPath,
} from "./workflow-search-paths.ts";

/** The extensions of workflow files. */
const WORKFLOW_EXTENSION = /\.(?:ts|mts|js|mjs)$/;

/** A file that may contain a workflow. */
export interface WorkflowFile {
  /** The path as a person would write it. */
  readonly path: string;
  /** The same path with all links followed. */
  readonly realPath: string;
  readonly source: WorkflowFileSource;
  /** The name of the workflow script in it, where it is one. */
  readonly scriptName?: string;
}

/** The result of {@link discoverWorkflowFiles}. */
export interface WorkflowFiles {
  readonly files: readonly WorkflowFile[];
  readonly problems: readonly DiscoveryProblem[];
}

/**
 * Lists the workflow files of a project and of the user, local ones first, each folder in alphabetical order. Only
 * files directly in the folder count; names that begin with `_` or `.` are helpers, `.d.ts` and `.test.ts` are not
 * workflows. A workflow in a subfolder is a problem. Must not throw: an unreadable file is a problem, and a missing
 * folder counts as empty.
 */
export async function discoverWorkflowFiles(folders: AtomicFolders): Promise<WorkflowFiles> {
  return await discoverCodeFiles(folders, "workflows");
}

/**
 * Lists the tool files of a project and of the user, by the rules of {@link discoverWorkflowFiles}. Must not throw.
 */
export async function discoverToolFiles(folders: AtomicFolders): Promise<WorkflowFiles> {
  return await discoverCodeFiles(folders, "tools");
}

async function discoverCodeFiles(folders: AtomicFolders, folderName: "workflows" | "tools"): Promise<WorkflowFiles> {
  const found: WorkflowFiles[] = [];
  const globalFolder = realPathOf(join(folders.homeDirectory, folderName));
  for (const searchPath of codeSearchPaths(folders, folderName)) {
    // In the home folder, both folders are the same one, and it is the user's.
    if (searchPath.source === "local" && realPathOf(searchPath.path) === globalFolder) continue;
    found.push(await listFolder(searchPath, folderName, await allowedRoots(searchPath, folders)));
  }
  return { files: found.flatMap((part) => part.files), problems: found.flatMap((part) => part.problems) };
}

/** The folder that must contain a file's real path. The user's own folder may be a link; a project's may not. */
async function allowedRoots({ path, source }: WorkflowSearchPath, folders: AtomicFolders): Promise<readonly string[]> {
  return source === "local"
    ? [realPathOf(folders.projectDirectory)]
    : [realPathOf(folders.homeDirectory), realPathOf(path)];
}

async function listFolder(
  { path: folder, source }: WorkflowSearchPath,
  folderName: "workflows" | "tools",
  roots: readonly string[],
): Promise<WorkflowFiles> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { files: [], problems: [] };
    return { files: [], problems: [describeUnreadable(folder, error)] };
  }
  const files: WorkflowFile[] = [];
  const problems: DiscoveryProblem[] = [];
  for (const name of names.filter(isMeantAsCode).sort()) {
    const path = join(folder, name);
    if (!WORKFLOW_EXTENSION.test(name)) {
      problems.push(otherKind(path, name, folderName === "tools"));
      continue;
    }
    const checked = await checkFile(path, roots);
    if ("problem" in checked) problems.push(checked.problem);
    // Scripts are found by `discoverClaudeScripts`.
    else if (folderName === "tools" || !(await isScriptFile(checked.realPath))) {
      files.push({ path, realPath: checked.realPath, source });
    }
  }
  problems.push(...(await findNestedFiles(folder, folderName, isMeantAsCode)));
  return { files, problems };
}

/** Whether a file with this name can be a workflow. */
export function isWorkflowFileName(name: string): boolean {
  return WORKFLOW_EXTENSION.test(name) && !name.endsWith(".d.ts") && !name.endsWith(".d.mts");
}

/** Whether an author may expect the file to be loaded: it is code, and neither a helper nor a test. */
export function isMeantAsCode(name: string): boolean {
  return /^[^_.].*\.[cm]?[jt]sx?$/.test(name) && !/\.(?:d|test)\.[^.]+$/.test(name);
}

function otherKind(path: string, name: string, isTool: boolean): DiscoveryProblem {
  return {
    path,
    message: `${isTool ? "Tool" : "Workflow"} files end in .ts, .mts, .js or .mjs; this one is not loaded`,
    remedy: `Rename it to ${name.replace(/\.[^.]+$/, ".ts")}, or to _${name} if it is a helper.`,
    severity: "error",
  };
}

/** The real path of a file below one of the folders, or why it is not loaded. Must not throw. */
export async function checkFile(
  path: string,
  roots: readonly string[],
): Promise<{ readonly realPath: string } | { readonly problem: DiscoveryProblem }> {
  try {
    const realPath = await realpath(path);
    if (!roots.some((root) => realPath.startsWith(root.endsWith(sep) ? root : root + sep))) {
      return refuse(path, `The link leads out of its root, to ${realPath}.`, "Replace the link with the file itself.");
    }
    const status = await stat(realPath);
    if (!status.isFile()) return refuse(path, "This is not a regular file.", "Rename or remove it.");
    if (status.size > MAX_FILE_BYTES) {
      const remedy = "Move data out of it, into files that the code reads.";
      return refuse(path, `The file has ${status.size} bytes; at most ${MAX_FILE_BYTES} are loaded.`, remedy);
    }
    return { realPath };
  } catch (error) {
    if (errorCode(error) === "ENOENT")
      return refuse(path, "The link points to nothing.", "Remove the link, or create its target.");
    return { problem: describeUnreadable(path, error) };
  }
}

function refuse(path: string, message: string, remedy: string): { readonly problem: DiscoveryProblem } {
  return { problem: { path, message, remedy, severity: "error" } };
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
