import { isText, type WorkflowMetadata } from "../../contracts/index.ts";
import { readBoundedFile } from "../../system/index.ts";
import type { WorkflowFile } from "../discover-workflow-files.ts";
import { fileNameOf, isWorkflowName, METADATA_EXPORTS, parseWorkflowModule } from "../parse-workflow-module.ts";
import { type LiteralExports, readLiteralExports } from "./read-literal-exports.ts";

/** The names and metadata in a workflow file's text. */
export interface WorkflowHeader {
  readonly file: WorkflowFile;
  /** The names that the workflow answers to, its own name first. Undefined if they need execution. */
  readonly names: readonly string[] | undefined;
  /** Undefined if some of it needs execution, or is invalid. */
  readonly metadata: WorkflowMetadata | undefined;
}

/** Reads the names and the metadata of a workflow without executing its file. Must not throw. */
export async function readWorkflowHeader(file: WorkflowFile, sdkVersion: string): Promise<WorkflowHeader> {
  const text = await readBoundedFile(file.realPath).catch(() => undefined);
  // Loading the file by this name reports why it cannot be read.
  if (text === undefined) return { file, names: [fileNameOf(file.path)], metadata: undefined };
  const exported = await readLiteralExports(text, file.path);
  if (exported === undefined) return { file, names: undefined, metadata: undefined };
  const isComputed = (name: string): boolean => exported.computed.has(name);
  const names = isComputed("name") || isComputed("aliases") ? undefined : namesOf(file, exported);
  if (METADATA_EXPORTS.some(isComputed) || !isComputed("default")) return { file, names, metadata: undefined };
  const exports = { ...Object.fromEntries(exported.values), default: () => undefined };
  return { file, names, metadata: parseWorkflowModule({ file, exports, text, sdkVersion }).workflow?.metadata };
}

/** A file with an invalid name is known by its own name, so that asking for it says what is wrong. */
function namesOf({ path }: WorkflowFile, { values }: LiteralExports): readonly string[] {
  const name = values.get("name");
  const aliases: unknown = values.get("aliases");
  const listed: readonly unknown[] = Array.isArray(aliases) ? aliases : [];
  return [typeof name === "string" && isWorkflowName(name) ? name : fileNameOf(path), ...listed.filter(isText)];
}
