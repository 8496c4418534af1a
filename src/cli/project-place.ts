import { isAbsolute, join } from "node:path";
import { AtomicError, type DiscoveryProblem, type Redactor, secretsOfSettings } from "../contracts/index.ts";
import { createTrustStore, findProject, realPathOf, type TrustStore } from "../discovery/trust-kit.ts";
import { safeText, visibleLine } from "../view/index.ts";
import { type Config, type LoadedConfig, loadConfigLayers, mergeConfigs, readProjectFile } from "./config/config.ts";
import type { ConfigFile } from "./config/config-file.ts";
import { type CliEnvironment, findAtomicHome } from "./environment.ts";
import { formatProblem } from "./loading/workflow-errors.ts";
import { tellTrustProblems } from "./tell-trust-problems.ts";
import { assertFolder } from "./unusable-place.ts";

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

/** Settings of {@link ProjectPlace}. */
export interface ProjectPlaceOptions {
  /** Called once if the list of trusted projects is broken. @default prints a warning on standard error */
  readonly onTrustProblem?: (problem: DiscoveryProblem) => void;
  /** Does not throw if Atomic's folder is not a folder: `doctor` reports that itself. @default false */
  readonly isHomeUnchecked?: boolean;
}

/** The folders of one call and the settings in them. Loads neither the engine nor what finds workflows. */
export class ProjectPlace {
  readonly atomicHome: string;
  /** See `findProject`. */
  readonly projectDirectory: string;
  /** The real path of the caller's directory. */
  readonly workingDirectory: string;
  readonly trust: TrustStore;
  /** That of the call. It learns the secrets of the settings that are loaded. */
  readonly redactor: Redactor;
  readonly #environment: Pick<CliEnvironment, "args" | "env" | "stderr">;
  readonly #reportedProjects = new Set<string>();
  readonly #reportedKeys = new Set<string>();

  /**
   * Finds the folders of a call in this environment.
   *
   * @throws HomeInvalidError
   */
  constructor(environment: CliEnvironment, { onTrustProblem, isHomeUnchecked = false }: ProjectPlaceOptions = {}) {
    this.#environment = environment;
    const { userHomeDirectory } = environment;
    if (!isAbsolute(userHomeDirectory)) throw new HomeInvalidError(userHomeDirectory);
    this.workingDirectory = realPathOf(environment.workingDirectory);
    this.atomicHome = findAtomicHome(environment);
    if (!isHomeUnchecked) assertFolder(this.atomicHome);
    this.projectDirectory = findProject(this.workingDirectory, userHomeDirectory);
    this.trust = tellTrustProblems(
      createTrustStore({ homeDirectory: this.atomicHome, userHomeDirectory }),
      onTrustProblem ?? ((problem) => environment.stderr.write(`warning: ${safeText(formatProblem(problem))}\n`)),
    );
    this.redactor = environment.redactor;
  }

  /** The settings in effect in a project. @throws ConfigInvalidError */
  async loadConfig(projectDirectory: string): Promise<Config> {
    return mergeConfigs(await this.loadConfigLayers(projectDirectory));
  }

  /**
   * The user's settings, those of the project if it is trusted, and those of the environment. Reports once which keys are unknown or there twice.
   *
   * @throws ConfigInvalidError, UsageError
   */
  async loadConfigLayers(projectDirectory: string): Promise<LoadedConfig> {
    const projectFolder = this.#projectFolder(projectDirectory);
    const isTrusted = projectFolder !== undefined && (await this.trust.isTrusted(projectDirectory));
    const layers = await loadConfigLayers({
      atomicHome: this.atomicHome,
      trustedProjectFolder: isTrusted ? projectFolder : undefined,
      env: this.#environment.env,
    });
    this.reportWarnings(layers.warnings);
    this.redactor.learn(secretsOfSettings(layers));
    return layers;
  }

  /**
   * The settings file of a project that is not trusted: it has no effect, but reading it for mistakes executes nothing. Undefined
   * for a trusted project, whose settings {@link loadConfigLayers} checks.
   *
   * @throws ConfigInvalidError
   */
  async readUntrustedFile(projectDirectory: string): Promise<ConfigFile | undefined> {
    const projectFolder = this.#projectFolder(projectDirectory);
    if (projectFolder === undefined || (await this.trust.isTrusted(projectDirectory))) return undefined;
    const { user } = await loadConfigLayers({ atomicHome: this.atomicHome, trustedProjectFolder: undefined });
    const file = await readProjectFile(projectFolder, user);
    this.redactor.learn(secretsOfSettings(file.config));
    return file;
  }

  /** Undefined in the home: there it is the same folder as the user's own. */
  #projectFolder(projectDirectory: string): string | undefined {
    const folder = join(projectDirectory, ".atomic");
    return realPathOf(folder) === realPathOf(this.atomicHome) ? undefined : folder;
  }

  /** Prints each line about a settings file once. Not with `--json`, as {@link reportChanges}. */
  reportWarnings(warnings: readonly string[]): void {
    const { args, stderr } = this.#environment;
    if (args.includes("--json")) return;
    for (const warning of warnings.filter((one) => !this.#reportedKeys.has(one))) {
      this.#reportedKeys.add(warning);
      stderr.write(`warning: ${safeText(warning)}\n`);
    }
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
}
