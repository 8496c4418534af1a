import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { AtomicError, DiscoveryProblem, WorkflowMetadata } from "../../contracts/index.ts";
import {
  type CheckCache,
  type ClaudeScript,
  type ClaudeScripts,
  createCheckCache,
  type DiscoveredWorkflow,
  discoverClaudeScripts,
  discoverWorkflowFiles,
  type FileResult,
  findWorkflowFile,
  type ListedWorkflow,
  type LoadedWorkflows,
  loadWorkflow,
  loadWorkflows,
  readClaudeScript,
  readWorkflowHeader,
  registerSdkModules,
  type TrustStore,
  type WorkflowFile,
  type WorkflowHeader,
} from "../../discovery/index.ts";
import { createImportScope } from "../../graph/run-kit.ts";
import { createWorkflowRegistry, type RegisteredWorkflow, type WorkflowRegistry } from "../../workflows/run-kit.ts";
import type { CliEnvironment } from "../environment.ts";
import { SDK_MODULES } from "../sdk-modules.ts";
import { VERSION } from "../version.ts";
import { BUILDER_METHODS } from "./builder-methods.ts";
import { checkAhead, type ResultsByPath } from "./check-ahead.ts";
import { type CheckInChildOptions, checkInChild } from "./check-in-child.ts";
import { compilerCacheOf } from "./compiler-cache.ts";
import { describeLastWords } from "./describe-last-words.ts";
import { hiddenScript } from "./hidden-script.ts";
import { headerOfScript, loadScript } from "./load-script.ts";
import { WATCHDOG_MARGIN_MS, withWatchdog } from "./watchdog.ts";
import { WorkflowBrokenError, WorkflowTimeoutError } from "./workflow-errors.ts";

/** Files that never finish keep only themselves waiting. */
const MIN_PARALLEL = 4;

/** Settings of {@link WorkflowLoader}. */
export interface WorkflowLoaderOptions {
  readonly environment: Pick<CliEnvironment, "args" | "env" | "stdout" | "stderr" | "userHomeDirectory">;
  readonly atomicHome: string;
  /** Where the call was made. */
  readonly workingDirectory: string;
  readonly trust: TrustStore;
  /** How long the code of one workflow file may take to load, and to build its graph, in milliseconds. */
  readonly importTimeoutMs: number;
}

/** A workflow that is listed, with the file to load it from. */
interface ListedFile extends ListedWorkflow {
  readonly file: WorkflowFile;
}

/** The workflows of a project, as far as they could be loaded. */
export interface LoadedProject {
  /** Its workflows are loaded when their graphs are created. */
  readonly registry: WorkflowRegistry;
  /** The user's workflows that the project's override. */
  readonly overridden: LoadedWorkflows<ListedWorkflow>["overridden"];
  readonly problems: readonly DiscoveryProblem[];
  /** Files that were left alone because the project is not trusted. */
  readonly untrusted: readonly string[];
  /** Workflow scripts in the form of Claude Code. */
  readonly claudeScripts: readonly ClaudeScript[];
}

/** What is known of a project's and the user's workflow files without executing them. */
export interface ScannedProject {
  readonly isTrusted: boolean;
  /** Files that may be executed. */
  readonly allowed: readonly WorkflowHeader[];
  /** Files of a project that is not trusted, scripts included. */
  readonly untrusted: readonly WorkflowHeader[];
  /** Workflow scripts that may be executed. */
  readonly scripts: readonly WorkflowHeader[];
  readonly problems: readonly DiscoveryProblem[];
}

/**
 * Loads workflow files, and only those that are needed:
 *
 * 1. The process imports no file but that of a workflow that is run.
 * 2. What else is needed of a file is read from its text, else from results of earlier checks, else found out by a process of its
 *    own with a time limit. Many files share processes as long as nothing is wrong with them.
 * 3. No code of a file, at its top level or in its function, can keep this process for ever.
 */
export class WorkflowLoader {
  readonly #options: WorkflowLoaderOptions;
  readonly #cache: CheckCache;
  #signal: AbortSignal | undefined;
  #ahead: ResultsByPath = new Map();

  constructor(options: WorkflowLoaderOptions) {
    this.#options = options;
    this.#cache = createCheckCache({
      path: join(options.atomicHome, "cache", "workflow-checks.json"),
      version: `${VERSION} ${Bun.version}`,
      check: (file) => this.#checkInChild(file),
    });
  }

  /** All workflows, each of them checked. */
  async list(projectDirectory: string, signal?: AbortSignal): Promise<LoadedProject> {
    const { atomicHome: homeDirectory, trust } = this.#options;
    this.#signal = signal;
    const isTrusted = await trust.isTrusted(projectDirectory);
    const { workflows, overridden, problems, untrusted } = await loadWorkflows<ListedFile>({
      ...{ projectDirectory, homeDirectory, isTrusted },
      prepare: (files) => this.#checkAhead(files),
      load: async (file) => {
        const checked = await this.#cache.check(file);
        const { workflow } = checked;
        return { problems: checked.problems, ...(workflow && { workflow: { ...workflow, file } }) };
      },
      maxParallel: Math.max(MIN_PARALLEL, availableParallelism()),
      ...(signal && { signal }),
    });
    this.#ahead = new Map();
    await this.#cache.save();
    const registry = createWorkflowRegistry(workflows.map((listed) => this.#lazily(listed, listed.file)));
    const { scripts, problems: scriptProblems } = await this.listClaudeScripts(projectDirectory);
    const names = registry.workflows.map(({ metadata }) => metadata);
    const hidden = scripts.flatMap((script) => hiddenScript(script, names) ?? []);
    const all = [...problems, ...registry.problems, ...scriptProblems, ...hidden];
    return { registry, overridden, problems: all, untrusted, claudeScripts: scripts };
  }

  /** The workflow scripts. Executes nothing. */
  async listClaudeScripts(projectDirectory: string): Promise<ClaudeScripts> {
    const { trust, environment, atomicHome: homeDirectory } = this.#options;
    const { CLAUDE_CONFIG_DIR: claude = "" } = environment.env;
    return await discoverClaudeScripts({
      projectDirectory,
      homeDirectory,
      userHomeDirectory: environment.userHomeDirectory,
      claudeConfigDirectory: claude === "" ? undefined : claude,
      isTrusted: await trust.isTrusted(projectDirectory),
    });
  }

  /** What the texts of the workflow files tell. Executes nothing. */
  async scan(projectDirectory: string): Promise<ScannedProject> {
    const { atomicHome: homeDirectory, trust } = this.#options;
    const isTrusted = await trust.isTrusted(projectDirectory);
    const { files, problems } = await discoverWorkflowFiles({ projectDirectory, homeDirectory });
    const headers = await Promise.all(files.map((file) => readWorkflowHeader(file, VERSION)));
    const isAllowed = ({ file }: WorkflowHeader): boolean => isTrusted || file.source === "global";
    const found = await this.listClaudeScripts(projectDirectory);
    const scripts = found.scripts.map(headerOfScript);
    return {
      isTrusted,
      allowed: headers.filter(isAllowed),
      scripts: scripts.filter(isAllowed),
      untrusted: [...headers, ...scripts].filter((header) => !isAllowed(header)),
      problems: [...problems, ...found.problems],
    };
  }

  /** The file, or the built-in workflow, that a name means among the files that may be executed. */
  async findFile(name: string, { allowed, scripts }: ScannedProject): ReturnType<typeof findWorkflowFile> {
    const options = { headers: allowed, builtIns: listBuiltInNames(), check: this.#cache.check };
    const result = await findWorkflowFile(name, options);
    await this.#cache.save();
    if (result.found !== undefined) return result;
    const found = await findWorkflowFile(name, { ...options, headers: scripts, builtIns: [] });
    return {
      ...found,
      knownNames: [...new Set([...result.knownNames, ...found.knownNames])],
      problems: [...result.problems, ...found.problems],
    };
  }

  /** The metadata of a workflow whose file may be executed. Undefined if something is wrong with the file. */
  async readMetadata({ file, metadata }: WorkflowHeader): Promise<WorkflowMetadata | undefined> {
    if (metadata !== undefined) return metadata;
    const { workflow } = await this.#cache.check(file);
    await this.#cache.save();
    return workflow?.metadata;
  }

  /** What is wrong with a file that may be executed. */
  async check(file: WorkflowFile): Promise<readonly DiscoveryProblem[]> {
    if (file.scriptName !== undefined) return (await readClaudeScript(file.path)).problems;
    const { problems } = await this.#cache.check(file);
    await this.#cache.save();
    return problems;
  }

  /** Imports the file of a workflow. @throws WorkflowBrokenError, WorkflowTimeoutError */
  async load(file: WorkflowFile, name: string): Promise<RegisteredWorkflow> {
    const { importTimeoutMs: timeoutMs, workingDirectory } = this.#options;
    const { scriptName } = file;
    if (scriptName !== undefined) return await loadScript({ ...file, scriptName }, { name, workingDirectory });
    const timeout = new WorkflowTimeoutError(name, file.path, { timeoutMs, isBuilding: false });
    const sdkExports = await registerSdkModules(SDK_MODULES);
    const options = {
      sdkVersion: VERSION,
      sdkExports,
      builderMethods: BUILDER_METHODS,
      importTimeoutMs: timeoutMs,
      createImportScope,
    };
    const { workflow, problems } = await this.#guard(timeout, () => loadWorkflow(file, options));
    if (problems.some(({ isTimeout }) => isTimeout)) throw timeout;
    if (workflow === undefined) throw new WorkflowBrokenError(name, problems.filter(isError));
    const registered = createWorkflowRegistry([workflow]).find(workflow.metadata.name);
    return { ...registered, create: (config) => this.#create(registered, file, config) };
  }

  async #create(
    { metadata, create }: RegisteredWorkflow,
    { path }: WorkflowFile,
    config: Readonly<Record<string, unknown>> | undefined,
  ): ReturnType<RegisteredWorkflow["create"]> {
    const { importTimeoutMs: timeoutMs } = this.#options;
    const timeout = new WorkflowTimeoutError(metadata.name, path, { timeoutMs, isBuilding: true });
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(timeout), timeoutMs);
    try {
      return await this.#guard(timeout, () => Promise.race([create(config), givenUp]));
    } finally {
      clearTimeout(timer);
    }
  }

  async #guard<T>(error: AtomicError, work: () => Promise<T>): Promise<T> {
    const lastWords = describeLastWords(error, this.#options.environment);
    const result = await withWatchdog(work, {
      timeoutMs: this.#options.importTimeoutMs + WATCHDOG_MARGIN_MS,
      lastWords,
    });
    // The process reports an unhandled rejection only after its microtasks.
    await new Promise<void>((resolve) => setImmediate(resolve));
    return result;
  }

  #lazily({ metadata, path }: ListedWorkflow, file: WorkflowFile): DiscoveredWorkflow {
    const create = async (config?: Readonly<Record<string, unknown>>) =>
      (await this.load(file, metadata.name)).create(config);
    return { metadata, path, source: file.source, create };
  }

  async #checkInChild(file: WorkflowFile): Promise<FileResult<ListedWorkflow>> {
    return this.#ahead.get(file.path) ?? (await checkInChild(file, this.#checkOptions()));
  }

  /** Checks the files without a result, as many at once as can be. */
  async #checkAhead(files: readonly WorkflowFile[]): Promise<void> {
    const isKnown = await Promise.all(files.map((file) => this.#cache.has(file)));
    const open = files.filter((_, index) => isKnown[index] !== true);
    this.#ahead = await checkAhead(open, this.#checkOptions());
  }

  #checkOptions(): CheckInChildOptions<"workflow"> {
    const { environment, atomicHome, workingDirectory, importTimeoutMs } = this.#options;
    const env = { ...compilerCacheOf(atomicHome), ...environment.env };
    return { kind: "workflow", env, workingDirectory, importTimeoutMs, signal: this.#signal };
  }
}

/** The names of each built-in workflow. */
export function listBuiltInNames(): readonly (readonly string[])[] {
  return createWorkflowRegistry([]).workflows.map(({ metadata }) => [metadata.name, ...metadata.aliases]);
}

/** Whether a problem keeps its workflow from being used. */
export function isError({ severity }: DiscoveryProblem): boolean {
  return severity === "error";
}
