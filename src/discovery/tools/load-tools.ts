import { dirname } from "node:path";
import type { DiscoveryProblem, ToolEntry } from "../../contracts/index.ts";
import { describeImportError } from "../describe-import-error.ts";
import { discoverToolFiles, type WorkflowFile } from "../discover-workflow-files.ts";
import { fingerprintFolder } from "../fingerprint-folder.ts";
import { importModule } from "../import-module.ts";
import { readBoundedFile } from "../read-bounded-file.ts";
import { registerSdkModules, type SdkExports, type SdkModules } from "../register-sdk-modules.ts";
import { describeUnreadable } from "../unreadable-file.ts";
import type { AtomicFolders } from "../workflow-search-paths.ts";
import { type BoundOutput, createTool } from "./create-tool.ts";
import { parseToolModule } from "./parse-tool-module.ts";
import type { CompileSchema } from "./tool-arguments.ts";
import { ToolRegistry, type ToolRegistryOptions } from "./tool-registry.ts";

/** Settings of {@link loadTools}. */
export interface LoadToolsOptions extends AtomicFolders, ToolRegistryOptions {
  /** Whether the user trusts the project. An untrusted project's files are listed but not imported, because they run code. */
  readonly isTrusted: boolean;
  /** Modules that files can import without installing them. */
  readonly sdkModules: SdkModules;
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

/** The result of {@link loadTools}. */
export interface LoadedTools {
  readonly registry: ToolRegistry;
  readonly problems: readonly DiscoveryProblem[];
  /** Files of the project that were not imported because it is not trusted. */
  readonly untrusted: readonly string[];
}

/**
 * Finds and imports the tool files of a project and of the user, one after the other. The project's tools win over the
 * user's. A broken file becomes a problem and does not affect the others. Throws only the signal's reason and errors of
 * `sdkModules`. Bun must run with `--no-install`, see `loadWorkflows`.
 *
 * @example
 * const { registry, problems } = await loadTools({ projectDirectory, homeDirectory, isTrusted, sdkModules, compileSchema, boundOutput });
 * for (const { definition } of registry.getAll()) client.registerTool(definition);
 */
export async function loadTools(options: LoadToolsOptions): Promise<LoadedTools> {
  const { isTrusted, sdkModules, onDebug, signal } = options;
  const found = await discoverToolFiles(options);
  const allowed = found.files.filter((file) => isTrusted || file.source === "global");
  const untrusted = found.files.filter((file) => !isTrusted && file.source === "local").map(({ path }) => path);
  const sdkExports: SdkExports = allowed.length === 0 ? new Map() : await registerSdkModules(sdkModules);
  const versions = new Map<string, string>();
  const registry = new ToolRegistry({ onDebug });
  const problems: DiscoveryProblem[] = [...found.problems];
  // Local files come first, so the first tool of a name wins.
  for (const file of allowed) {
    signal?.throwIfAborted();
    const folder = dirname(file.realPath);
    const version = versions.get(folder) ?? (await fingerprintFolder(folder));
    versions.set(folder, version);
    const loaded = await loadToolFile(file, { ...options, sdkExports, version });
    problems.push(...loaded.problems);
    for (const entry of loaded.entries) {
      const owner = registry.has(entry.name) ? registry.get(entry.name) : undefined;
      if (owner === undefined) registry.register(entry);
      else if (owner.source === entry.source) problems.push(describeClash(entry, owner));
      else onDebug?.(`tool overridden: ${entry.name} (${entry.filePath}) by ${owner.filePath}`);
    }
  }
  return { registry, problems, untrusted };
}

interface LoadFileOptions extends LoadToolsOptions {
  readonly sdkExports: SdkExports;
  readonly version: string;
}

interface LoadedFile {
  readonly entries: readonly ToolEntry[];
  readonly problems: readonly DiscoveryProblem[];
}

async function loadToolFile(file: WorkflowFile, options: LoadFileOptions): Promise<LoadedFile> {
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

function describeClash({ name, filePath }: ToolEntry, owner: ToolEntry): DiscoveryProblem {
  return {
    path: filePath,
    message: `The tool "${name}" is left out: ${owner.filePath} has a tool of that name, "${owner.name}".`,
    remedy: "Rename one of the two.",
    severity: "error",
  };
}
