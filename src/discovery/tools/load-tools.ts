import type { DiscoveryProblem, ToolEntry } from "../../contracts/index.ts";
import { readBoundedFile } from "../../system/index.ts";
import { describeImportError } from "../describe-import-error.ts";
import { discoverToolFiles, type WorkflowFile } from "../discover-workflow-files.ts";
import { importModule } from "../import-module.ts";
import type { SdkExports } from "../register-sdk-modules.ts";
import { describeUnreadable } from "../unreadable-file.ts";
import type { AtomicFolders } from "../workflow-search-paths.ts";
import { type BoundOutput, createTool } from "./create-tool.ts";
import { parseToolModule } from "./parse-tool-module.ts";
import type { CompileSchema } from "./tool-arguments.ts";

/** Where files of tools are. */
export interface ToolFolders extends AtomicFolders {
  /** Whether the user trusts the project. An untrusted project's files are listed but not imported, because they run code. */
  readonly isTrusted: boolean;
}

/** How a file of tools is imported. */
export interface ImportToolsOptions {
  /** Compiles the JSON Schemas that tools have in place of zod's. */
  readonly compileSchema: CompileSchema;
  /** Limits what a tool returns to an agent. */
  readonly boundOutput: BoundOutput;
  /** How long one file may take to load, in milliseconds. @default 10_000 */
  readonly importTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Runs the import of a file, which may never return. @default it is run as it is */
  readonly guard?: <T>(path: string, work: () => Promise<T>) => Promise<T>;
}

/** The files of tools, and which of them may be imported. */
export interface FoundToolFiles {
  readonly allowed: readonly WorkflowFile[];
  /** Files of a project that is not trusted. */
  readonly untrusted: readonly string[];
  readonly problems: readonly DiscoveryProblem[];
}

/** Lists the files of tools of a project and of the user. Must not throw. */
export async function findToolFiles(options: ToolFolders): Promise<FoundToolFiles> {
  const { files, problems } = await discoverToolFiles(options);
  const isAllowed = ({ source }: WorkflowFile): boolean => options.isTrusted || source === "global";
  const untrusted = files.filter((file) => !isAllowed(file)).map(({ path }) => path);
  return { allowed: files.filter(isAllowed), untrusted, problems };
}

/** A tool's name and file. */
export type NamedTool = Pick<ToolEntry, "name" | "source" | "filePath">;

/** The tools of one file, and what is wrong with it. */
export interface ToolsOfFile<T extends NamedTool> {
  readonly entries: readonly T[];
  readonly problems: readonly DiscoveryProblem[];
}

/** The first tool of a name wins; local files come first. Each problem follows those of its file. */
export function resolveToolNames<T extends NamedTool>(
  files: readonly ToolsOfFile<T>[],
): ToolsOfFile<T> & { readonly overridden: readonly { readonly entry: T; readonly owner: T }[] } {
  const byName = new Map<string, T>();
  const overridden: { entry: T; owner: T }[] = [];
  const problems: DiscoveryProblem[] = [];
  for (const file of files) {
    problems.push(...file.problems);
    for (const entry of file.entries) {
      const key = entry.name.toLowerCase();
      const owner = byName.get(key);
      if (owner === undefined) byName.set(key, entry);
      else if (owner.source === entry.source) problems.push(describeClash(entry, owner));
      else overridden.push({ entry, owner });
    }
  }
  return { entries: [...byName.values()], overridden, problems };
}

/** Settings of {@link loadToolFile}. */
export interface LoadToolFileOptions extends ImportToolsOptions {
  /** The result of `registerSdkModules()`, which the file's imports need. */
  readonly sdkExports: SdkExports;
  /** See `fingerprintFolder`. */
  readonly version: string;
}

/** Imports one file of tools. Whatever is wrong with it is a problem. Throws only the signal's reason. */
export async function loadToolFile(file: WorkflowFile, options: LoadToolFileOptions): Promise<ToolsOfFile<ToolEntry>> {
  const { compileSchema, boundOutput, sdkExports, version, importTimeoutMs: timeoutMs = 10_000, signal } = options;
  const { guard = (_path, work) => work() } = options;
  const { path, realPath, source } = file;
  let text: string;
  try {
    text = await readBoundedFile(realPath);
  } catch (error) {
    return { entries: [], problems: [describeUnreadable(path, error)] };
  }
  try {
    const importing = { version, timeoutMs, ...(signal && { signal }) };
    const exports = await guard(path, () => importModule(realPath, importing));
    const { tools, problems } = await parseToolModule({ file, exports, text, compileSchema });
    const entries = tools.map((parts) => {
      const { name, description } = parts;
      return { name, description, definition: createTool(parts, boundOutput), source, filePath: path };
    });
    return { entries, problems };
  } catch (error) {
    signal?.throwIfAborted();
    return { entries: [], problems: await describeImportError({ error, path, realPath, sdkExports }) };
  }
}

function describeClash({ name, filePath }: NamedTool, owner: NamedTool): DiscoveryProblem {
  return {
    path: filePath,
    message: `The tool "${name}" is left out: ${owner.filePath} has a tool of that name, "${owner.name}".`,
    remedy: "Rename one of the two.",
    severity: "error",
  };
}
