import type { DiscoveryProblem, Redactor, WorkflowMetadata } from "../contracts/index.ts";
import { readWorkflowHeader, type TrustStore, type WorkflowFile } from "../discovery/index.ts";
import { safeText } from "../view/index.ts";
import {
  createSessionStore,
  createWorkflowRegistry,
  createWorkflowRuns,
  type RegisteredWorkflow,
  type SessionStore,
  type WorkflowRuns,
  workflowSessionsDirectory,
} from "../workflows/run-kit.ts";
import type { Config, LoadedConfig } from "./config/config.ts";
import type { ConfigFile } from "./config/config-file.ts";
import type { CliEnvironment } from "./environment.ts";
import type { ConfirmTrust } from "./loading/outside-file.ts";
import { formatProblem } from "./loading/workflow-errors.ts";
import { isNamed, WorkflowFinder } from "./loading/workflow-finder.ts";
import { type LoadedProject, WorkflowLoader } from "./loading/workflow-loader.ts";
import { ProjectPlace, type ProjectPlaceOptions } from "./project-place.ts";
import { VERSION } from "./version.ts";

/** Settings of {@link Workspace}. */
export interface WorkspaceOptions extends ProjectPlaceOptions {
  /** The folders and settings, where the caller has them already. @default those of the environment */
  readonly place?: ProjectPlace;
  /** How long the code of a workflow file may take to load, and to build its graph, in milliseconds. @default 10_000 */
  readonly importTimeoutMs?: number;
}

/** A workflow that a call names. */
export interface FoundWorkflow extends RegisteredWorkflow {
  /** The real path of its file, if its name does not find it: it is in no folder of workflow files, or has another's name. */
  readonly outsidePath?: string;
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
  /** That of the call. It learns the secrets of the settings that are loaded. */
  readonly redactor: Redactor;
  readonly #place: ProjectPlace;
  readonly #loader: WorkflowLoader;
  readonly #finder: WorkflowFinder;

  /**
   * Finds the folders of a call in this environment.
   *
   * @throws HomeInvalidError
   */
  constructor(
    environment: CliEnvironment,
    { place, importTimeoutMs = 10_000, ...placeOptions }: WorkspaceOptions = {},
  ) {
    this.#place = place ?? new ProjectPlace(environment, placeOptions);
    const { atomicHome, projectDirectory, workingDirectory, trust, redactor } = this.#place;
    this.atomicHome = atomicHome;
    this.projectDirectory = projectDirectory;
    this.workingDirectory = workingDirectory;
    this.trust = trust;
    this.redactor = redactor;
    const { userHomeDirectory, pid, startedAt } = environment;
    this.store = createSessionStore({ root: workflowSessionsDirectory(atomicHome) });
    this.runs = createWorkflowRuns({
      ...{ store: this.store, redactor },
      owner: { pid, startedAt: new Date(startedAt).toISOString() },
    });
    this.#loader = new WorkflowLoader({ environment, atomicHome, workingDirectory, trust, importTimeoutMs });
    const places = { atomicHome, userHomeDirectory, workingDirectory };
    const warn = (problem: DiscoveryProblem): void =>
      environment.stderr.write(`warning: ${safeText(formatProblem(problem))}\n`);
    this.#finder = new WorkflowFinder({ loader: this.#loader, trust, warn, ...places });
  }

  /** See {@link ProjectPlace}. */
  loadConfig(projectDirectory: string): Promise<Config> {
    return this.#place.loadConfig(projectDirectory);
  }

  /** See {@link ProjectPlace}. */
  loadConfigLayers(projectDirectory: string): Promise<LoadedConfig> {
    return this.#place.loadConfigLayers(projectDirectory);
  }

  /** See {@link ProjectPlace}. */
  readUntrustedFile(projectDirectory: string): Promise<ConfigFile | undefined> {
    return this.#place.readUntrustedFile(projectDirectory);
  }

  /** See {@link ProjectPlace}. */
  reportChanges(projectDirectory: string): Promise<void> {
    return this.#place.reportChanges(projectDirectory);
  }

  /** All workflows of a project and of the user, each of them checked by a process of its own, or by an earlier one. */
  async loadProject(projectDirectory: string, signal?: AbortSignal): Promise<LoadedProject> {
    const loaded = await this.#loader.list(projectDirectory, signal);
    await this.reportChanges(projectDirectory);
    return loaded;
  }

  /**
   * Finds a workflow by name or path, and imports its file only. Asks for trust if an untrusted file of the project could
   * define it.
   *
   * @param confirmTrust asks the person; `undefined` if there is none
   * @throws UnknownWorkflowError, WorkflowAmbiguousError, WorkflowBrokenError, WorkflowMissingError,
   *   WorkflowIsFileError, WorkflowTimeoutError, ProjectUntrustedError, WorkflowFileUntrustedError, UsageError
   */
  async findWorkflow(
    name: string,
    projectDirectory: string,
    confirmTrust: ConfirmTrust | undefined,
  ): Promise<FoundWorkflow> {
    const file = await this.#finder.find(name, projectDirectory, confirmTrust);
    if (typeof file === "string") return createWorkflowRegistry([]).find(file);
    if (file.source === "local") await this.reportChanges(projectDirectory);
    const workflow = await this.#loader.load(file, name);
    return file.isOutside ? { ...workflow, outsidePath: file.realPath } : workflow;
  }

  /** What is wrong with a workflow file that may be executed, warnings included: a process of its own loads it. */
  async checkWorkflowFile(file: WorkflowFile): Promise<readonly DiscoveryProblem[]> {
    return await this.#loader.check(file);
  }

  /** A built-in workflow, and whether the project or the user overrides its name. Needs no trust, executes no file. */
  async findBuiltIn(
    name: string,
    projectDirectory: string,
  ): Promise<{ readonly workflow: RegisteredWorkflow; readonly isOverridden: boolean }> {
    const workflow = createWorkflowRegistry([]).findBuiltIn(name);
    const { allowed, untrusted } = await this.#loader.scan(projectDirectory);
    return { workflow, isOverridden: [...allowed, ...untrusted].some((header) => isNamed(header, name)) };
  }

  /**
   * The metadata of a workflow file that may be executed: read from its text if it is all literals there, else from an earlier check, else
   * found out by a process of its own. Undefined if something is wrong with the file.
   */
  async readWorkflowMetadata(file: WorkflowFile): Promise<WorkflowMetadata | undefined> {
    return await this.#loader.readMetadata(await readWorkflowHeader(file, VERSION));
  }
}
