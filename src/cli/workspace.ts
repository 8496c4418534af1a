import { isAbsolute, join } from "node:path";
import {
  AtomicError,
  type DiscoveryProblem,
  type Redactor,
  secretsOfSettings,
  type WorkflowMetadata,
} from "../contracts/index.ts";
import {
  createTrustStore,
  findProject,
  readWorkflowHeader,
  realPathOf,
  type TrustStore,
  type WorkflowFile,
} from "../discovery/index.ts";
import { safeText, visibleLine } from "../view/index.ts";
import {
  createSessionStore,
  createWorkflowRegistry,
  createWorkflowRuns,
  type RegisteredWorkflow,
  type SessionStore,
  type WorkflowRuns,
  workflowSessionsDirectory,
} from "../workflows/run-kit.ts";
import type { Config, ConfigLayers } from "./config/config.ts";
import { type CliEnvironment, findAtomicHome } from "./environment.ts";
import type { ConfirmTrust } from "./loading/outside-file.ts";
import { formatProblem } from "./loading/workflow-errors.ts";
import { isNamed, WorkflowFinder } from "./loading/workflow-finder.ts";
import { type LoadedProject, WorkflowLoader } from "./loading/workflow-loader.ts";
import { tellTrustProblems } from "./tell-trust-problems.ts";
import { assertFolder } from "./unusable-place.ts";
import { VERSION } from "./version.ts";

/** So many changed files are named. */
const MAX_NAMED_FILES = 10;

/** `HOME` is not an absolute path, so the user's files cannot be told apart from a project's. */
export class HomeInvalidError extends AtomicError {
  constructor(readonly userHomeDirectory: string) {
    super(
      "HOME_INVALID",
      `The variable HOME is "${visibleLine(userHomeDirectory)}", which is not an absolute path, so Atomic cannot tell your own files from a project's. Set HOME to your home folder.`,
    );
  }
}

/** Settings of {@link Workspace}. */
export interface WorkspaceOptions {
  /** Called once if the list of trusted projects is broken. @default prints a warning on standard error */
  readonly onTrustProblem?: (problem: DiscoveryProblem) => void;
  /** Does not throw if Atomic's folder is not a folder: `doctor` reports that itself. @default false */
  readonly isHomeUnchecked?: boolean;
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
  readonly #environment: Pick<CliEnvironment, "args" | "stderr">;
  readonly #reportedProjects = new Set<string>();
  readonly #loader: WorkflowLoader;
  readonly #finder: WorkflowFinder;

  /**
   * Finds the folders of a call in this environment.
   *
   * @throws HomeInvalidError
   */
  constructor(
    environment: CliEnvironment,
    { onTrustProblem, isHomeUnchecked = false, importTimeoutMs = 10_000 }: WorkspaceOptions = {},
  ) {
    this.#environment = environment;
    const warn = (problem: DiscoveryProblem): void =>
      environment.stderr.write(`warning: ${safeText(formatProblem(problem))}\n`);
    const { userHomeDirectory, pid, startedAt } = environment;
    if (!isAbsolute(userHomeDirectory)) throw new HomeInvalidError(userHomeDirectory);
    const workingDirectory = realPathOf(environment.workingDirectory);
    this.workingDirectory = workingDirectory;
    this.atomicHome = findAtomicHome(environment);
    if (!isHomeUnchecked) assertFolder(this.atomicHome);
    this.projectDirectory = findProject(workingDirectory, userHomeDirectory);
    this.trust = tellTrustProblems(
      createTrustStore({ homeDirectory: this.atomicHome, userHomeDirectory }),
      onTrustProblem ?? warn,
    );
    this.store = createSessionStore({ root: workflowSessionsDirectory(this.atomicHome) });
    this.redactor = environment.redactor;
    this.runs = createWorkflowRuns({
      store: this.store,
      redactor: this.redactor,
      owner: { pid, startedAt: new Date(startedAt).toISOString() },
    });
    const { atomicHome, trust } = this;
    this.#loader = new WorkflowLoader({ environment, atomicHome, workingDirectory, trust, importTimeoutMs });
    const places = { atomicHome, userHomeDirectory, workingDirectory };
    this.#finder = new WorkflowFinder({ loader: this.#loader, trust, warn, ...places });
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
    const layers = await loadConfigLayers({
      atomicHome: this.atomicHome,
      trustedProjectFolder: isProject && (await this.trust.isTrusted(projectDirectory)) ? projectFolder : undefined,
    });
    this.redactor.learn(secretsOfSettings(layers));
    return layers;
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

  /** Reports once which files that trust covers have changed. Not with `--json`: programs read no notes. */
  async reportChanges(projectDirectory: string): Promise<void> {
    const { args, stderr } = this.#environment;
    // Steps that run a workflow by its name come here again.
    if (args.includes("--json") || this.#reportedProjects.has(projectDirectory)) return;
    this.#reportedProjects.add(projectDirectory);
    const changed = await this.trust.takeChangedFiles(projectDirectory);
    if (changed.length === 0) return;
    const count = changed.length === 1 ? "1 file is new or has" : `${changed.length} files are new or have`;
    const named = changed.slice(0, MAX_NAMED_FILES).map(visibleLine).join(", ");
    const more = changed.length > MAX_NAMED_FILES ? `, and ${changed.length - MAX_NAMED_FILES} more` : "";
    stderr.write(`note: ${count} changed since you trusted this project: ${named}${more}.\n`);
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
