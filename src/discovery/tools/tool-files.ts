import { basename, dirname } from "node:path";
import type { DiscoveryProblem, ToolEntry } from "../../contracts/index.ts";
import type { WorkflowFile } from "../discover-workflow-files.ts";
import { fingerprintFolder } from "../fingerprint-folder.ts";
import { registerSdkModules, type SdkExports, type SdkModules } from "../register-sdk-modules.ts";
import {
  type FoundToolFiles,
  findToolFiles,
  type ImportToolsOptions,
  loadToolFile,
  resolveToolNames,
  type ToolFolders,
  type ToolsOfFile,
} from "./load-tools.ts";
import { describeLookup, ToolRegistry, type ToolRegistryOptions } from "./tool-registry.ts";

/** Settings of {@link ToolFiles}. */
export interface ToolFilesOptions extends ToolFolders, ImportToolsOptions, ToolRegistryOptions {
  /** Modules that files can import without installing them. */
  readonly sdkModules: SdkModules;
  /**
   * Loads files somewhere else before they are imported here, and returns for each what keeps it from being loaded. A file
   * with such a problem is not imported. Must not throw. @default all are imported
   */
  readonly check?: (files: readonly WorkflowFile[]) => Promise<readonly (readonly DiscoveryProblem[])[]>;
}

/** All tools of a project and of the user. */
export interface LoadedTools {
  readonly registry: ToolRegistry;
  readonly problems: readonly DiscoveryProblem[];
  /** Files of the project that were not imported because it is not trusted. */
  readonly untrusted: readonly string[];
}

/** The result of {@link ToolFiles.find}. */
export interface FoundTool {
  readonly entry: ToolEntry | undefined;
  /** What is wrong with the files that can define the tool. */
  readonly problems: readonly DiscoveryProblem[];
  /** As in {@link LoadedTools}, those that can define the tool. */
  readonly untrusted: readonly string[];
}

/**
 * The tool files of a project and of the user. The project's tools win over the user's. A broken file becomes a problem and
 * does not affect the others. Bun must run with `--no-install`, see `loadWorkflows`.
 *
 * 1. A file is imported when it is needed, once, and one after the other.
 * 2. Names of tools begin with those of their files, so `find` needs only few files, and has the result that `load` has.
 *
 * @example
 * const files = new ToolFiles({ projectDirectory, homeDirectory, isTrusted, sdkModules, compileSchema, boundOutput });
 * const { entry, problems } = await files.find("lint");
 */
export class ToolFiles {
  readonly #options: ToolFilesOptions;
  readonly #imports = new Map<string, Promise<ToolsOfFile<ToolEntry>>>();
  readonly #versions = new Map<string, Promise<string>>();
  #found: Promise<FoundToolFiles> | undefined;
  #sdkExports: Promise<SdkExports> | undefined;
  #lastImport: Promise<unknown> = Promise.resolve();

  constructor(options: ToolFilesOptions) {
    this.#options = options;
  }

  /** All tools. @throws the signal's reason and errors of `sdkModules` */
  async load(): Promise<LoadedTools> {
    const { onDebug } = this.#options;
    const { allowed, untrusted, problems } = await this.#findFiles();
    const resolved = resolveToolNames(await this.#import(allowed));
    const registry = new ToolRegistry({ onDebug });
    for (const entry of resolved.entries) registry.register(entry);
    for (const { entry, owner } of resolved.overridden)
      onDebug?.(`tool overridden: ${entry.name} (${entry.filePath}) by ${owner.filePath}`);
    return { registry, problems: [...problems, ...resolved.problems], untrusted };
  }

  /** The tool of a name, ignoring case. Imports only files that can define it. @throws as {@link load} */
  async find(name: string): Promise<FoundTool> {
    const { onDebug } = this.#options;
    const { allowed, untrusted, problems } = await this.#findFiles();
    const isCandidate = ({ path }: { readonly path: string }): boolean => canDefine(path, name);
    const resolved = resolveToolNames(await this.#import(allowed.filter(isCandidate)));
    const entry = resolved.entries.find((each) => each.name.toLowerCase() === name.trim().toLowerCase());
    onDebug?.(describeLookup(name, entry));
    const unread = untrusted.filter((path) => canDefine(path, name));
    return { entry, problems: [...problems.filter(isCandidate), ...resolved.problems], untrusted: unread };
  }

  #findFiles(): Promise<FoundToolFiles> {
    this.#found ??= findToolFiles(this.#options);
    return this.#found;
  }

  /** Invariant 1. */
  #import(files: readonly WorkflowFile[]): Promise<readonly ToolsOfFile<ToolEntry>[]> {
    const fresh = files.filter(({ path }) => !this.#imports.has(path));
    const checking = fresh.length === 0 ? undefined : this.#options.check?.(fresh);
    for (const [index, file] of fresh.entries()) {
      const previous = this.#lastImport;
      const importing = (async (): Promise<ToolsOfFile<ToolEntry>> => {
        const problems = (await checking)?.[index] ?? [];
        await previous;
        return problems.length > 0 ? { entries: [], problems } : await this.#importFile(file);
      })();
      this.#imports.set(file.path, importing);
      this.#lastImport = importing.catch(() => undefined);
    }
    return Promise.all(files.flatMap(({ path }) => this.#imports.get(path) ?? []));
  }

  async #importFile(file: WorkflowFile): Promise<ToolsOfFile<ToolEntry>> {
    this.#options.signal?.throwIfAborted();
    this.#sdkExports ??= registerSdkModules(this.#options.sdkModules);
    const folder = dirname(file.realPath);
    const version = this.#versions.get(folder) ?? fingerprintFolder(folder);
    this.#versions.set(folder, version);
    return await loadToolFile(file, {
      ...this.#options,
      sdkExports: await this.#sdkExports,
      version: await version,
    });
  }
}

/** Invariant 2: whether a file can define a tool of this name, by the rules of `parseToolModule`. */
function canDefine(path: string, name: string): boolean {
  const fileName = basename(path)
    .replace(/\.[^.]+$/, "")
    .toLowerCase();
  const wanted = name.trim().toLowerCase();
  return wanted === fileName || wanted.startsWith(`${fileName}_`);
}
