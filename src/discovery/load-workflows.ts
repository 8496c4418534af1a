import { dirname } from "node:path";
import { type DiscoveryProblem, type ImportScope, messageOf } from "../contracts/index.ts";
import { createWorkflow, type DiscoveredWorkflow } from "./create-workflow.ts";
import { describeImportError } from "./describe-import-error.ts";
import { discoverWorkflowFiles, type WorkflowFile } from "./discover-workflow-files.ts";
import { fingerprintFolder } from "./fingerprint-folder.ts";
import { importInScope } from "./import-in-scope.ts";
import { checkMinSdkVersion, parseWorkflowModule } from "./parse-workflow-module.ts";
import { readBoundedFile } from "./read-bounded-file.ts";
import { registerSdkModules, type SdkExports, type SdkModules } from "./register-sdk-modules.ts";
import { type OverriddenEntry, resolveNameClashes } from "./resolve-name-clashes.ts";
import { blankComments } from "./source-text.ts";
import type { AtomicFolders } from "./workflow-search-paths.ts";

/** Settings of {@link loadWorkflows}. */
export interface LoadWorkflowsOptions extends AtomicFolders {
  /** Whether the user trusts the project. An untrusted project's files are listed but not imported, because they run code. */
  readonly isTrusted: boolean;
  /** The version of the running Atomic. */
  readonly sdkVersion: string;
  /** Modules that files can import without installing them. */
  readonly sdkModules: SdkModules;
  /** Names of the graph builder's methods, for suggestions when one is misspelled. @default none */
  readonly builderMethods?: readonly string[];
  /** How long one file may take to load, in milliseconds. @default 10_000 */
  readonly importTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Makes a place for what a file registers while it is imported. @default what it registers is left to itself */
  readonly createImportScope?: () => ImportScope;
}

/** The result of {@link loadWorkflows}. */
export interface LoadedWorkflows {
  /** In order of precedence, each name once. */
  readonly workflows: readonly DiscoveredWorkflow[];
  /** The user's workflows that the project's override. */
  readonly overridden: readonly OverriddenEntry<DiscoveredWorkflow>[];
  readonly problems: readonly DiscoveryProblem[];
  /** Files of the project that were not imported because it is not trusted. */
  readonly untrusted: readonly string[];
}

/**
 * Finds and imports the workflow files of a project and of the user, one after the other. A broken file becomes a problem
 * and does not affect the others. Throws only the signal's reason and errors of `sdkModules`.
 *
 * Bun must run with `--no-install`: otherwise it fetches missing packages, misspelled ones included, from the registry and
 * runs them.
 *
 * @example
 * const { workflows, problems } = await loadWorkflows({ projectDirectory, homeDirectory, isTrusted, sdkVersion, sdkModules });
 * const compiled = workflows.find(({ metadata }) => metadata.name === "review")?.create({ depth: 2 });
 */
export async function loadWorkflows(options: LoadWorkflowsOptions): Promise<LoadedWorkflows> {
  const { isTrusted, sdkModules, signal } = options;
  const found = await discoverWorkflowFiles(options);
  const [allowed, untrusted] = partition(found.files, (file) => isTrusted || file.source === "global");
  const workflows: DiscoveredWorkflow[] = [];
  const problems: DiscoveryProblem[] = [...found.problems];
  const sdkExports: SdkExports = allowed.length === 0 ? new Map() : await registerSdkModules(sdkModules);
  const versions = new Map<string, string>();
  for (const file of allowed) {
    signal?.throwIfAborted();
    const folder = dirname(file.realPath);
    const version = versions.get(folder) ?? (await fingerprintFolder(folder));
    versions.set(folder, version);
    const loaded = await loadWorkflowFile(file, { ...options, sdkExports, version });
    if (loaded.workflow) workflows.push(loaded.workflow);
    problems.push(...loaded.problems);
  }
  const resolved = resolveNameClashes(workflows);
  return {
    workflows: resolved.entries,
    overridden: resolved.overridden,
    problems: [...problems, ...resolved.problems],
    untrusted: untrusted.map((file) => file.path),
  };
}

interface LoadedFile {
  readonly workflow?: DiscoveredWorkflow;
  readonly problems: readonly DiscoveryProblem[];
}

interface LoadFileOptions extends LoadWorkflowsOptions {
  readonly sdkExports: SdkExports;
  readonly version: string;
}

async function loadWorkflowFile(file: WorkflowFile, options: LoadFileOptions): Promise<LoadedFile> {
  const { sdkVersion, sdkExports, version, builderMethods = [], importTimeoutMs: timeoutMs = 10_000, signal } = options;
  const { createImportScope } = options;
  const { path, realPath } = file;
  let text: string;
  try {
    text = await readBoundedFile(realPath);
  } catch (error) {
    const remedy = "Check that the file may be read.";
    return { problems: [{ path, message: `It cannot be read: ${messageOf(error)}`, remedy, severity: "error" }] };
  }
  // A file for a newer Atomic may fail to load in this one; the version is the more useful explanation.
  const tooNew = checkMinSdkVersion(file, readMinSdkVersion(text), { text, sdkVersion });
  if (tooNew) return { problems: [tooNew] };
  try {
    const importing = { version, timeoutMs, createImportScope, ...(signal && { signal }) };
    const { exports, withRegistrations } = await importInScope(realPath, importing);
    const parsed = parseWorkflowModule({ file, exports, text, sdkVersion });
    const workflow = parsed.workflow && createWorkflow(parsed.workflow, file, builderMethods);
    return {
      ...(workflow && { workflow: { ...workflow, create: withRegistrations(workflow.create) } }),
      problems: parsed.problems,
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { problems: await describeImportError({ error, path, realPath, sdkExports }) };
  }
}

/** The `minSDKVersion` in a file's text, if it is a string literal. */
function readMinSdkVersion(text: string): string | undefined {
  return /\bexport\s+const\s+minSDKVersion\s*(?::\s*string\s*)?=\s*(["'`])([^"'`]+)\1/.exec(blankComments(text))?.[2];
}

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))];
}
