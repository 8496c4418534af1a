import { dirname } from "node:path";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import type { WorkflowFile } from "../discover-workflow-files.ts";
import { fingerprintFolder } from "../fingerprint-folder.ts";
import { mapInParallel } from "../map-in-parallel.ts";
import {
  findToolFiles,
  type LoadToolFileOptions,
  loadToolFile,
  type NamedTool,
  resolveToolNames,
  type ToolFolders,
} from "./load-tools.ts";

/** What came of one file of tools. */
export interface CheckedToolFile {
  /** Undefined if the file could not be loaded. */
  readonly tools?: readonly NamedTool[];
  readonly problems: readonly DiscoveryProblem[];
}

/** Settings of {@link checkTools}. */
export interface CheckToolsOptions extends ToolFolders {
  /** Loads a file somewhere else. Must not throw. */
  readonly check: (file: WorkflowFile) => Promise<CheckedToolFile>;
}

/** The result of {@link checkTools}. */
export interface CheckedTools {
  /** By the rules of `ToolFiles`, each name once. */
  readonly tools: readonly NamedTool[];
  readonly problems: readonly DiscoveryProblem[];
  /** Files of the project that were not loaded because it is not trusted. */
  readonly untrusted: readonly string[];
}

/** How many files of tools are checked at the same time. */
export const MAX_PARALLEL_CHECKS = 4;

/** Finds what `ToolFiles` would, without a file's code running in this process. Must not throw. */
export async function checkTools(options: CheckToolsOptions): Promise<CheckedTools> {
  const { allowed, untrusted, problems } = await findToolFiles(options);
  const checked = await mapInParallel(allowed, { maxParallel: MAX_PARALLEL_CHECKS, map: options.check });
  const named = resolveToolNames(checked.map((file) => ({ entries: file.tools ?? [], problems: file.problems })));
  return { tools: named.entries, problems: [...problems, ...named.problems], untrusted };
}

/** Imports one file of tools into this process, to find out their names and what is wrong with it. */
export async function checkToolFile(
  file: WorkflowFile,
  options: Omit<LoadToolFileOptions, "version" | "boundOutput">,
): Promise<CheckedToolFile> {
  const version = await fingerprintFolder(dirname(file.realPath));
  const boundOutput = async (text: string): Promise<string> => text; // No tool is called.
  const { entries, problems } = await loadToolFile(file, { ...options, version, boundOutput });
  return { tools: entries.map(({ name, source, filePath }) => ({ name, source, filePath })), problems };
}
