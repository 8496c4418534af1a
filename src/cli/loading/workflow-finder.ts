import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type AtomicError, type DiscoveryProblem, nearestName } from "../../contracts/index.ts";
import {
  fileNameOf,
  realPathOf,
  type TrustStore,
  type WorkflowFile,
  type WorkflowHeader,
} from "../../discovery/index.ts";
import { UnknownWorkflowError } from "../../workflows/index.ts";
import { UsageError } from "../config/usage-error.ts";
import { quoteWord } from "../output/quote-word.ts";
import { visibleLine } from "../visible/visible-text.ts";
import {
  ClaudeScriptError,
  ProjectUntrustedError,
  WorkflowBrokenError,
  WorkflowMissingError,
} from "./workflow-errors.ts";
import { isError, listBuiltInNames, type ScannedProject, type WorkflowLoader } from "./workflow-loader.ts";

/** Settings of {@link WorkflowFinder}. */
export interface WorkflowFinderOptions {
  readonly loader: WorkflowLoader;
  readonly trust: TrustStore;
  readonly atomicHome: string;
  /** The project of the call. */
  readonly projectDirectory: string;
  /** Relative paths start here. */
  readonly workingDirectory: string;
  /** Reports a problem of a file that delayed the call. */
  readonly warn: (problem: DiscoveryProblem) => void;
}

/** Finds the file of a workflow by name or path. */
export class WorkflowFinder {
  readonly #options: WorkflowFinderOptions;

  constructor(options: WorkflowFinderOptions) {
    this.#options = options;
  }

  /**
   * The file that may be executed, or the name of a built-in workflow. Asks for trust if the file may be the project's own.
   *
   * @param confirmTrust asks the person; `undefined` if there is none
   * @throws UnknownWorkflowError, WorkflowBrokenError, WorkflowMissingError, ProjectUntrustedError, ClaudeScriptError, UsageError
   */
  async find(
    name: string,
    projectDirectory: string,
    confirmTrust: ((files: readonly string[]) => Promise<boolean>) | undefined,
  ): Promise<WorkflowFile | string> {
    const { loader, trust, warn } = this.#options;
    const scanned = await loader.scan(projectDirectory);
    if (this.#needsTrust(name, scanned)) {
      const files = scanned.untrusted.map(({ file }) => file.path);
      if (!(await confirmTrust?.(files))) throw new ProjectUntrustedError(name, projectDirectory, files);
      await trust.trust(projectDirectory);
      return await this.find(name, projectDirectory, undefined);
    }
    if (isPath(name)) return await this.#findByPath(name, scanned);
    const { found, knownNames, problems } = await loader.findFile(name, scanned);
    // Explains the delay.
    for (const problem of problems) if (problem.isTimeout) warn(problem);
    const known = [...knownNames, ...scanned.untrusted.flatMap(({ names }) => names ?? [])];
    const all = [...scanned.problems, ...problems];
    if (found === undefined)
      throw await this.#explainMissing(new UnknownWorkflowError(name, known), all, projectDirectory);
    this.#assertNotHidden(found, name, all);
    return found;
  }

  #needsTrust(name: string, { allowed, untrusted }: ScannedProject): boolean {
    if (untrusted.length === 0) return false;
    if (isPath(name)) {
      const path = this.#pathOf(name);
      return untrusted.some(({ file }) => file.realPath === path);
    }
    if (untrusted.some((header) => isNamed(header, name))) return true;
    const known = [...listBuiltInNames().flat(), ...allowed.flatMap(({ names }) => names ?? [])];
    if (known.some((other) => isSame(other, name))) return false;
    return untrusted.some(({ names }) => names?.some((other) => isSame(other, name)) ?? true);
  }

  #pathOf(name: string): string {
    return realPathOf(resolve(this.#options.workingDirectory, name));
  }

  /** A path means the workflow in that file. @throws UsageError for any other path */
  async #findByPath(name: string, scanned: ScannedProject): Promise<WorkflowFile> {
    const path = this.#pathOf(name);
    const header = scanned.allowed.find(({ file }) => file.realPath === path);
    if (header === undefined) throw this.#explainPath(name, scanned.problems);
    const [ownName] = header.names ?? [(await this.#options.loader.readMetadata(header))?.name];
    if (ownName === undefined) return header.file;
    const { found } = await this.#options.loader.findFile(ownName, scanned);
    if (typeof found === "object" && found.realPath !== path) {
      throw new UsageError(
        `The workflow in "${name}" is hidden by the one of the same name in ${visibleLine(found.path)}. Rename one of the two.`,
      );
    }
    return header.file;
  }

  #explainPath(name: string, problems: readonly DiscoveryProblem[]): AtomicError {
    const { atomicHome, projectDirectory } = this.#options;
    const path = this.#pathOf(name);
    const broken = problems.filter((problem) => isError(problem) && realPathOf(problem.path) === path);
    if (broken.length > 0) return new WorkflowBrokenError(name, broken);
    if (!existsSync(path)) {
      return new UsageError(
        `There is no file "${name}". Correct the path, or list the workflows with: atomic workflows list`,
      );
    }
    if (statSync(path).isDirectory()) {
      return new UsageError(
        `"${name}" is a folder. Name a workflow or its file; list the workflows with: atomic workflows list`,
      );
    }
    if (/\/\.claude\/workflows\/[^/]+\.js$/.test(path)) return new ClaudeScriptError(fileNameOf(path), path);
    const command = `atomic run ${quoteWord(visibleLine(fileNameOf(path)))}`;
    const project = /^(.*)\/\.atomic\/workflows\/[^/]+$/s.exec(path)?.[1];
    if (project !== undefined && ![projectDirectory, atomicHome.replace(/\/\.atomic$/, "")].includes(project)) {
      return new UsageError(
        `"${name}" belongs to another project. Run it there: cd ${quoteWord(visibleLine(project))} && ${command}`,
      );
    }
    return new UsageError(
      `"${name}" is no workflow's file. Put the file into .atomic/workflows of the project, or into ${join(atomicHome, "workflows")}, and run it by its name: ${command}`,
    );
  }

  /** A workflow must not replace one of the same name whose file is nearer but broken. @throws WorkflowBrokenError */
  #assertNotHidden(found: WorkflowFile | string, name: string, problems: readonly DiscoveryProblem[]): void {
    if (typeof found === "object" && found.source === "local") return;
    const isNearer = (broken: string): boolean =>
      typeof found === "string" || !broken.startsWith(`${this.#options.atomicHome}/`);
    const hidden = brokenFilesOf(name, problems).filter((problem) => isNearer(problem.path));
    if (hidden.length > 0) throw new WorkflowBrokenError(name, hidden);
  }

  async #explainMissing(
    error: UnknownWorkflowError,
    problems: readonly DiscoveryProblem[],
    projectDirectory: string,
  ): Promise<AtomicError> {
    const { workflowName, knownNames } = error;
    const { scripts } = await this.#options.loader.listClaudeScripts(projectDirectory);
    const script = scripts.find(({ name }) => isSame(name, workflowName));
    if (script !== undefined) return new ClaudeScriptError(script.name, script.path);
    const own = brokenFilesOf(workflowName, problems);
    if (own.length > 0) return new WorkflowBrokenError(workflowName, own);
    const errors = problems.filter(isError);
    const isMisspelt = nearestName(workflowName, knownNames) !== undefined;
    return errors.length === 0 || isMisspelt ? error : new WorkflowMissingError(workflowName, errors);
  }
}

/** Whether a workflow file has this name, as far as its text says. */
export function isNamed({ file, names }: WorkflowHeader, name: string): boolean {
  return isSame(names?.[0] ?? fileNameOf(file.path), name);
}

function isPath(name: string): boolean {
  return /[/\\]|\.[cm]?[jt]sx?$/.test(name);
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** A broken file is known only by its file name: the name it exports could not be read. */
function brokenFilesOf(name: string, problems: readonly DiscoveryProblem[]): readonly DiscoveryProblem[] {
  return problems.filter((problem) => isError(problem) && isSame(fileNameOf(problem.path), name));
}
