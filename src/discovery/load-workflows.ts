import type { DiscoveryProblem } from "../contracts/index.ts";
import { discoverWorkflowFiles, type WorkflowFile } from "./discover-workflow-files.ts";
import { mapInParallel } from "./map-in-parallel.ts";
import { type NamedEntry, type OverriddenEntry, resolveNameClashes } from "./resolve-name-clashes.ts";
import type { AtomicFolders } from "./workflow-search-paths.ts";

/** What came of one file: its workflow, or what is wrong with it. */
export interface FileResult<T> {
  readonly workflow?: T;
  readonly problems: readonly DiscoveryProblem[];
  /** Whether a file without a workflow has none until its text changes, whatever else does. @default false */
  readonly isLasting?: boolean;
}

/** Settings of {@link loadWorkflows}. */
export interface LoadWorkflowsOptions<T extends NamedEntry> extends AtomicFolders {
  /** Whether the user trusts the project. An untrusted project's files are listed but not loaded, because they run code. */
  readonly isTrusted: boolean;
  /** Called once with the files that may be loaded, before the first of them. */
  readonly prepare?: (files: readonly WorkflowFile[]) => Promise<void>;
  /** Loads or checks one file. */
  readonly load: (file: WorkflowFile) => Promise<FileResult<T>>;
  /** How many files are loaded at the same time. @default 1 */
  readonly maxParallel?: number;
  readonly signal?: AbortSignal;
}

/** The result of {@link loadWorkflows}. */
export interface LoadedWorkflows<T extends NamedEntry> {
  /** In order of precedence, each name once. */
  readonly workflows: readonly T[];
  /** The user's workflows that the project's override. */
  readonly overridden: readonly OverriddenEntry<T>[];
  readonly problems: readonly DiscoveryProblem[];
  /** Files of the project that were not loaded because it is not trusted. */
  readonly untrusted: readonly string[];
}

/**
 * Loads all workflow files of a project and of the user. A broken file becomes a problem and does not affect the others.
 * Throws only the signal's reason and errors of `prepare` and `load`.
 *
 * @example
 * const { workflows, problems } = await loadWorkflows({ projectDirectory, homeDirectory, isTrusted, load: check });
 */
export async function loadWorkflows<T extends NamedEntry>(
  options: LoadWorkflowsOptions<T>,
): Promise<LoadedWorkflows<T>> {
  const { isTrusted, load, maxParallel = 1, signal } = options;
  const found = await discoverWorkflowFiles(options);
  const allowed = found.files.filter((file) => isTrusted || file.source === "global");
  await options.prepare?.(allowed);
  const results = await mapInParallel(allowed, {
    maxParallel,
    async map(file) {
      signal?.throwIfAborted();
      return await load(file);
    },
  });
  const resolved = resolveNameClashes(results.flatMap(({ workflow }) => (workflow ? [workflow] : [])));
  return {
    workflows: resolved.entries,
    overridden: resolved.overridden,
    problems: [...found.problems, ...results.flatMap(({ problems }) => problems), ...resolved.problems],
    untrusted: found.files.filter((file) => !allowed.includes(file)).map(({ path }) => path),
  };
}
