import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { AtomicError, type DiscoveryProblem, nearestName } from "../contracts/index.ts";
import {
  createTrustStore,
  findProject,
  type LoadedWorkflows,
  loadWorkflows,
  realPathOf,
  type TrustStore,
} from "../discovery/index.ts";
import { createImportScope, GraphBuilder } from "../graph/index.ts";
import { safeText } from "../view/index.ts";
import {
  createSessionStore,
  createWorkflowRegistry,
  createWorkflowRuns,
  type RegisteredWorkflow,
  type SessionStore,
  UnknownWorkflowError,
  type WorkflowRegistry,
  type WorkflowRuns,
  workflowSessionsDirectory,
} from "../workflows/index.ts";
import type { Config, ConfigLayers } from "./config/config.ts";
import { UsageError } from "./config/usage-error.ts";
import { type CliEnvironment, findAtomicHome } from "./environment.ts";
import { quoteWord } from "./output/quote-word.ts";
import { SDK_MODULES } from "./sdk-modules.ts";
import { tellTrustProblems } from "./tell-trust-problems.ts";
import { assertFolder } from "./unusable-place.ts";
import { VERSION } from "./version.ts";
import { visibleLine } from "./visible/visible-text.ts";

/** Methods of the graph builder, to suggest one for a misspelt name. */
const BUILDER_METHODS = Object.getOwnPropertyNames(GraphBuilder.prototype).filter((name) => name !== "constructor");

/** How many files or problems a message names. */
const MAX_NAMED = 5;

/** A workflow of an untrusted project was requested. */
export class ProjectUntrustedError extends AtomicError {
  constructor(
    readonly workflowName: string,
    readonly projectDirectory: string,
    readonly files: readonly string[],
  ) {
    super(
      "PROJECT_UNTRUSTED",
      [
        `The workflow "${workflowName}" may be one of this project's own, and you have not trusted the project yet. Its workflow files run code on your machine:`,
        ...listSome(files),
        "Look at them, then call again with --trust.",
      ].join("\n"),
    );
  }
}

/** `HOME` is not an absolute path, so the user's files cannot be told apart from a project's. */
export class HomeInvalidError extends AtomicError {
  constructor(readonly userHomeDirectory: string) {
    super(
      "HOME_INVALID",
      `The variable HOME is "${visibleLine(userHomeDirectory)}", which is not an absolute path, so Atomic cannot tell your own files from a project's. Set HOME to your home folder.`,
    );
  }
}

/** The file of the requested workflow is broken. */
export class WorkflowBrokenError extends AtomicError {
  constructor(
    readonly workflowName: string,
    readonly problems: readonly DiscoveryProblem[],
  ) {
    super(
      "WORKFLOW_BROKEN",
      [`The workflow "${workflowName}" cannot be loaded.`, ...problems.map(formatProblem)].join("\n"),
    );
  }
}

/** No workflow has the name, but a file that cannot be loaded may define it. */
export class WorkflowMissingError extends AtomicError {
  constructor(
    readonly workflowName: string,
    readonly problems: readonly DiscoveryProblem[],
  ) {
    super(
      "WORKFLOW_UNKNOWN",
      [
        `There is no workflow "${workflowName}", unless it is in a file that cannot be loaded:`,
        ...listSome(problems.map(formatProblem)),
        "List the others with: atomic workflows list",
      ].join("\n"),
    );
  }
}

function listSome(lines: readonly string[]): readonly string[] {
  const more = lines.length > MAX_NAMED ? [`  - and ${lines.length - MAX_NAMED} more`] : [];
  return [...lines.slice(0, MAX_NAMED).map((line) => `  - ${line}`), ...more];
}

/** A problem in one line: place, message, remedy. */
export function formatProblem({ path, line, column, message, remedy }: DiscoveryProblem): string {
  const place = [visibleLine(path), line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message.replace(/\.?$/, ".")} ${remedy}`;
}

/** The workflows of a project that could be loaded, and the problems of the others. */
export interface LoadedProject {
  readonly registry: WorkflowRegistry;
  /** The user's workflows that a project's workflow of the same name hides, each with its `owner`: the one that hides it. */
  readonly overridden: LoadedWorkflows["overridden"];
  readonly problems: readonly DiscoveryProblem[];
  /** Files that were not loaded because the project is not trusted. */
  readonly untrusted: readonly string[];
}

/** Settings of {@link Workspace}. */
export interface WorkspaceOptions {
  /** Called once if the list of trusted projects is broken. @default prints a warning on standard error */
  readonly onTrustProblem?: (problem: DiscoveryProblem) => void;
  /** Does not throw if Atomic's folder is not a folder: `doctor` reports that itself. @default false */
  readonly isHomeUnchecked?: boolean;
  /** How long one workflow file may take to load, in milliseconds. @default 10_000 */
  readonly importTimeoutMs?: number;
}

/** The folders of one call, and what can be loaded from them. */
export class Workspace {
  readonly atomicHome: string;
  /** See `findProject`. */
  readonly projectDirectory: string;
  /** The real path of the caller's directory. */
  readonly workingDirectory: string;
  readonly trust: TrustStore;
  readonly store: SessionStore;
  readonly runs: WorkflowRuns;
  readonly #importTimeoutMs: number | undefined;
  readonly #warn: (problem: DiscoveryProblem) => void;

  /**
   * Finds the folders of a call in this environment.
   *
   * @throws HomeInvalidError
   */
  constructor(
    environment: CliEnvironment,
    { onTrustProblem, isHomeUnchecked = false, importTimeoutMs }: WorkspaceOptions = {},
  ) {
    this.#warn = (problem) => environment.stderr.write(`warning: ${safeText(formatProblem(problem))}\n`);
    this.#importTimeoutMs = importTimeoutMs;
    const { userHomeDirectory, pid, startedAt } = environment;
    if (!isAbsolute(userHomeDirectory)) throw new HomeInvalidError(userHomeDirectory);
    const workingDirectory = realPathOf(environment.workingDirectory);
    this.workingDirectory = workingDirectory;
    this.atomicHome = findAtomicHome(environment);
    if (!isHomeUnchecked) assertFolder(this.atomicHome);
    this.projectDirectory = findProject(workingDirectory, userHomeDirectory);
    this.trust = tellTrustProblems(createTrustStore({ homeDirectory: this.atomicHome }), onTrustProblem ?? this.#warn);
    this.store = createSessionStore({ root: workflowSessionsDirectory(this.atomicHome) });
    this.runs = createWorkflowRuns({
      store: this.store,
      owner: { pid, startedAt: new Date(startedAt).toISOString() },
    });
  }

  /** The settings in effect in a project. @throws ConfigInvalidError */
  async loadConfig(projectDirectory: string): Promise<Config> {
    const { mergeConfigs } = await import("./config/config.ts");
    return mergeConfigs(await this.loadConfigLayers(projectDirectory));
  }

  /** The user's settings, and those of the project if it is trusted. @throws ConfigInvalidError */
  async loadConfigLayers(projectDirectory: string): Promise<ConfigLayers> {
    const projectFolder = join(projectDirectory, ".atomic");
    // In the home, both are the same folder, and it is the user's.
    const isProject = realPathOf(projectFolder) !== realPathOf(this.atomicHome);
    // The schema of the settings loads `clients` and zod, which commands without settings do not need.
    const { loadConfigLayers } = await import("./config/config.ts");
    return await loadConfigLayers({
      atomicHome: this.atomicHome,
      trustedProjectFolder: isProject && (await this.trust.isTrusted(projectDirectory)) ? projectFolder : undefined,
    });
  }

  /** Loads the workflows of a project and of the user. */
  async loadProject(projectDirectory: string, signal?: AbortSignal): Promise<LoadedProject> {
    const { workflows, overridden, problems, untrusted } = await loadWorkflows({
      projectDirectory,
      homeDirectory: this.atomicHome,
      isTrusted: await this.trust.isTrusted(projectDirectory),
      sdkVersion: VERSION,
      sdkModules: SDK_MODULES,
      builderMethods: BUILDER_METHODS,
      createImportScope,
      ...(signal === undefined ? {} : { signal }),
      ...(this.#importTimeoutMs === undefined ? {} : { importTimeoutMs: this.#importTimeoutMs }),
    });
    const registry = createWorkflowRegistry(workflows);
    return { registry, overridden, problems: [...problems, ...registry.problems], untrusted };
  }

  /**
   * Finds a workflow by name or path. Asks for trust if an untrusted file of the project could define it.
   *
   * @param confirmTrust asks the person; `undefined` if there is none
   * @throws UnknownWorkflowError, WorkflowBrokenError, WorkflowMissingError, ProjectUntrustedError
   */
  async findWorkflow(
    name: string,
    projectDirectory: string,
    confirmTrust: ((files: readonly string[]) => Promise<boolean>) | undefined,
  ): Promise<RegisteredWorkflow> {
    const loaded = await this.loadProject(projectDirectory);
    if (loaded.untrusted.length > 0 && !isBuiltIn(loaded, name)) {
      if (!(await confirmTrust?.(loaded.untrusted)))
        throw new ProjectUntrustedError(name, projectDirectory, loaded.untrusted);
      await this.trust.trust(projectDirectory);
      return await this.findWorkflow(name, projectDirectory, undefined);
    }
    try {
      const found = this.#findByPath(loaded, name) ?? loaded.registry.find(name);
      this.#assertNotHidden(found, name, loaded.problems);
      // Explains the delay.
      for (const problem of loaded.problems) if (problem.isTimeout) this.#warn(problem);
      return found;
    } catch (error) {
      throw error instanceof UnknownWorkflowError ? explainMissing(error, loaded.problems) : error;
    }
  }

  /** A built-in workflow, and whether the project or the user overrides its name. Needs no trust. */
  async findBuiltIn(
    name: string,
    projectDirectory: string,
  ): Promise<{ readonly workflow: RegisteredWorkflow; readonly isOverridden: boolean }> {
    const loaded = await this.loadProject(projectDirectory);
    const workflow = loaded.registry.findBuiltIn(name);
    for (const problem of loaded.problems) if (problem.isTimeout) this.#warn(problem);
    const isOverridden = loaded.registry.find(name).metadata.source !== "builtin" || !isBuiltIn(loaded, name);
    return { workflow, isOverridden };
  }

  /** A path means the workflow that was found in that file. @throws UsageError for any other path */
  #findByPath({ registry, overridden, problems }: LoadedProject, name: string): RegisteredWorkflow | undefined {
    if (!/[/\\]|\.[cm]?[jt]sx?$/.test(name)) return undefined;
    const path = realPathOf(resolve(this.workingDirectory, name));
    const isIn = (file: string | undefined): boolean => file !== undefined && realPathOf(file) === path;
    const found = registry.workflows.find((workflow) => isIn(workflow.path));
    if (found !== undefined) return found;
    const hidden = overridden.find(({ entry }) => isIn(entry.path));
    if (hidden !== undefined) {
      throw new UsageError(
        `The workflow in "${name}" is hidden by the one of the same name in ${visibleLine(hidden.owner.path)}. Rename one of the two.`,
      );
    }
    const broken = problems.filter((problem) => problem.severity === "error" && realPathOf(problem.path) === path);
    if (broken.length > 0) throw new WorkflowBrokenError(name, broken);
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
    const command = `atomic run ${quoteWord(visibleLine(fileNameOf(path)))}`;
    const project = /^(.*)\/\.atomic\/workflows\/[^/]+$/s.exec(path)?.[1];
    if (
      project !== undefined &&
      ![this.projectDirectory, this.atomicHome.replace(/\/\.atomic$/, "")].includes(project)
    ) {
      throw new UsageError(
        `"${name}" belongs to another project. Run it there: cd ${quoteWord(visibleLine(project))} && ${command}`,
      );
    }
    throw new UsageError(
      `"${name}" is no workflow's file. Put the file into .atomic/workflows of the project, or into ${join(this.atomicHome, "workflows")}, and run it by its name: ${command}`,
    );
  }

  /** A workflow must not replace one of the same name whose file is nearer but broken. @throws WorkflowBrokenError */
  #assertNotHidden({ metadata, path }: RegisteredWorkflow, name: string, problems: readonly DiscoveryProblem[]): void {
    if (metadata.source === "local") return;
    const isNearer = (broken: string): boolean => path === undefined || !isWithinFolder(broken, this.atomicHome);
    const hidden = brokenFilesOf(name, problems).filter((problem) => isNearer(problem.path));
    if (hidden.length > 0) throw new WorkflowBrokenError(name, hidden);
  }
}

function isWithinFolder(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** A broken file is known only by its file name: the name it exports could not be read. */
function brokenFilesOf(name: string, problems: readonly DiscoveryProblem[]): readonly DiscoveryProblem[] {
  return problems.filter(
    ({ path, severity }) => severity === "error" && fileNameOf(path).toLowerCase() === name.toLowerCase(),
  );
}

/** A built-in name needs no trust, unless the project has a file that may override it. */
function isBuiltIn({ registry, untrusted }: LoadedProject, name: string): boolean {
  const found = registry.workflows.find(({ metadata }) =>
    [metadata.name, ...metadata.aliases].some((known) => known.toLowerCase() === name.toLowerCase()),
  );
  if (found === undefined) return false;
  return !untrusted.some((path) => fileNameOf(path).toLowerCase() === found.metadata.name.toLowerCase());
}

function explainMissing(error: UnknownWorkflowError, problems: readonly DiscoveryProblem[]): AtomicError {
  const { workflowName, knownNames } = error;
  const errors = problems.filter(({ severity }) => severity === "error");
  const own = brokenFilesOf(workflowName, problems);
  if (own.length > 0) return new WorkflowBrokenError(workflowName, own);
  const isMisspelt = nearestName(workflowName, knownNames) !== undefined;
  return errors.length === 0 || isMisspelt ? error : new WorkflowMissingError(workflowName, errors);
}

function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}
