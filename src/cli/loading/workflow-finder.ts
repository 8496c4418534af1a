import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type AtomicError, type DiscoveryProblem, nearestName } from "../../contracts/index.ts";
import {
  fileNameOf,
  realPathOf,
  type TrustStore,
  type WorkflowFile,
  type WorkflowHeader,
} from "../../discovery/index.ts";
import { isWithin } from "../../system/index.ts";
import { visibleLine } from "../../view/index.ts";
import { UnknownWorkflowError } from "../../workflows/run-kit.ts";
import { UsageError } from "../config/usage-error.ts";
import { quoteWord } from "../output/quote-word.ts";
import { hiddenScript } from "./hidden-script.ts";
import { type ConfirmTrust, findOutsideFile } from "./outside-file.ts";
import {
  ProjectUntrustedError,
  WorkflowAmbiguousError,
  WorkflowBrokenError,
  WorkflowIsFileError,
  WorkflowMissingError,
} from "./workflow-errors.ts";
import { WORKFLOW_EXTENSIONS } from "./workflow-folder.ts";
import { isError, listBuiltInNames, type ScannedProject, type WorkflowLoader } from "./workflow-loader.ts";

/** Settings of {@link WorkflowFinder}. */
export interface WorkflowFinderOptions {
  readonly loader: WorkflowLoader;
  readonly trust: TrustStore;
  readonly atomicHome: string;
  readonly userHomeDirectory: string;
  /** Relative paths start here. */
  readonly workingDirectory: string;
  /** Reports a problem of a file that delayed the call. */
  readonly warn: (problem: DiscoveryProblem) => void;
}

/** The file of a workflow. */
export interface FoundFile extends WorkflowFile {
  /** Whether only its path finds the file: it is in no folder of workflow files, or its name means another. @default false */
  readonly isOutside?: boolean;
}

/** What decides about the file at a path. */
interface PathRequest {
  readonly scanned: ScannedProject;
  readonly projectDirectory: string;
  readonly confirmTrust: ConfirmTrust | undefined;
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
   * @throws UnknownWorkflowError, WorkflowAmbiguousError, WorkflowBrokenError, WorkflowMissingError,
   *   WorkflowIsFileError, ProjectUntrustedError, WorkflowFileUntrustedError, UsageError
   */
  async find(
    name: string,
    projectDirectory: string,
    confirmTrust: ConfirmTrust | undefined,
  ): Promise<FoundFile | string> {
    const { loader, trust, warn } = this.#options;
    const scanned = await loader.scan(projectDirectory);
    if (this.#needsTrust(name, scanned)) {
      const files = scanned.untrusted.map(({ file }) => file.path);
      if (!(await confirmTrust?.(files, projectDirectory)))
        throw new ProjectUntrustedError(name, projectDirectory, files);
      await trust.trust(projectDirectory);
      return await this.find(name, projectDirectory, undefined);
    }
    if (isPath(name)) return await this.#findByPath(name, { scanned, projectDirectory, confirmTrust });
    const { found, rivals, knownNames, problems } = await loader.findFile(name, scanned);
    if (rivals.length > 0)
      throw new WorkflowAmbiguousError(
        name,
        rivals.map((file) => this.#shortPathOf(file.path)),
      );
    // Explains the delay.
    for (const problem of problems) if (problem.isTimeout) warn(problem);
    const known = [...knownNames, ...scanned.untrusted.flatMap(({ names }) => names ?? [])];
    const all = [...scanned.problems, ...problems];
    if (found === undefined) throw await this.#explainMissing(new UnknownWorkflowError(name, known), all, scanned);
    this.#assertNotHidden(found, name, all);
    this.#warnOfScript(found, name, scanned);
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

  /** A path as a person writes it here. */
  #shortPathOf(path: string): string {
    const { workingDirectory } = this.#options;
    return isWithin(path, workingDirectory) ? `./${relative(workingDirectory, path)}` : path;
  }

  /**
   * A path means the workflow in that file, whatever its name means.
   *
   * @throws UsageError if there is no workflow file
   */
  async #findByPath(name: string, request: PathRequest): Promise<FoundFile> {
    const { scanned } = request;
    const path = this.#pathOf(name);
    const header = [...scanned.allowed, ...scanned.scripts].find(({ file }) => file.realPath === path);
    if (header === undefined) return await this.#findOutside(name, request);
    const [ownName] = header.names ?? [(await this.#options.loader.readMetadata(header))?.name];
    if (ownName === undefined) return header.file;
    const { found, rivals } = await this.#options.loader.findFile(ownName, scanned);
    const isHidden = rivals.length > 0 || (typeof found === "object" && found.realPath !== path);
    return { ...header.file, isOutside: isHidden };
  }

  /** @throws as {@link findOutsideFile} */
  async #findOutside(name: string, request: PathRequest): Promise<FoundFile> {
    const { atomicHome, trust, userHomeDirectory } = this.#options;
    const { scanned, projectDirectory, confirmTrust } = request;
    const path = this.#pathOf(name);
    const broken = scanned.problems.filter((problem) => isError(problem) && realPathOf(problem.path) === path);
    if (broken.length > 0) throw new WorkflowBrokenError(name, broken);
    const project = /^(.*)\/\.atomic\/workflows\/[^/]+$/s.exec(path)?.[1];
    const isOther = ![projectDirectory, atomicHome.replace(/\/\.atomic$/, "")].includes(project ?? "");
    if (project !== undefined && isOther && existsSync(path)) {
      const command = `atomic run ${quoteWord(visibleLine(fileNameOf(path)))}`;
      throw new UsageError(
        `"${name}" belongs to another project. Run it there: cd ${quoteWord(visibleLine(project))} && ${command}`,
      );
    }
    const outside = { name, trust, userHomeDirectory, projectDirectory, confirmTrust };
    return { ...(await findOutsideFile(path, outside)), isOutside: true };
  }

  /** A workflow must not replace one of the same name whose file is nearer but broken. @throws WorkflowBrokenError */
  #assertNotHidden(found: WorkflowFile | string, name: string, problems: readonly DiscoveryProblem[]): void {
    if (typeof found === "object" && found.source === "local") return;
    const isNearer = (broken: string): boolean =>
      typeof found === "string" || !broken.startsWith(`${this.#options.atomicHome}/`);
    const hidden = brokenFilesOf(name, problems).filter((problem) => isNearer(problem.path));
    if (hidden.length > 0) throw new WorkflowBrokenError(name, hidden);
  }

  /** A script that has the name, too, is not what is started. */
  #warnOfScript(found: WorkflowFile | string, name: string, { scripts }: ScannedProject): void {
    const file = scripts.find((header) => isNamed(header, name))?.file;
    if (file === undefined || (typeof found === "object" && found.realPath === file.realPath)) return;
    const [own, ...aliases] =
      typeof found === "string" ? (listBuiltInNames().find(([builtIn]) => builtIn === found) ?? []) : [name];
    const problem = hiddenScript({ name, path: file.path }, [{ name: own ?? name, aliases }]);
    if (problem !== undefined) this.#options.warn(problem);
  }

  async #explainMissing(
    error: UnknownWorkflowError,
    problems: readonly DiscoveryProblem[],
    scanned: ScannedProject,
  ): Promise<AtomicError> {
    const { workflowName, knownNames } = error;
    const own = brokenFilesOf(workflowName, problems);
    if (own.length > 0) return new WorkflowBrokenError(workflowName, own);
    const here = WORKFLOW_EXTENSIONS.map((extension) =>
      join(this.#options.workingDirectory, `${workflowName}${extension}`),
    );
    // What problems are left with this name are those of files in subfolders.
    const below = problems.filter((problem) => isSame(fileNameOf(problem.path), workflowName)).map(({ path }) => path);
    const file = [...here.filter((path) => existsSync(path)), ...below][0];
    if (file !== undefined) return new WorkflowIsFileError(workflowName, this.#shortPathOf(file));
    const errors = problems.filter(isError);
    const isMisspelt = nearestName(workflowName, knownNames) !== undefined;
    if (errors.length > 0 && !isMisspelt) return new WorkflowMissingError(workflowName, errors);
    const known = isMisspelt ? knownNames : await this.#withoutBroken(knownNames, scanned);
    return new UnknownWorkflowError(workflowName, known);
  }

  /** The names without those of files whose text has a name, but which cannot be loaded. */
  async #withoutBroken(names: readonly string[], { allowed }: ScannedProject): Promise<readonly string[]> {
    const checked = await Promise.all(
      allowed.map(async (header) =>
        (await this.#options.loader.check(header.file)).some(isError) ? header.names : [],
      ),
    );
    const broken = checked.flatMap((own) => own ?? []);
    return names.filter((name) => !broken.some((other) => isSame(name, other)));
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
