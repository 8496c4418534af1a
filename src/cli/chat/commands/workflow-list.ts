import { relative } from "node:path";
import { type DiscoveryProblem, messageOf } from "../../../contracts/index.ts";
import { createWorkflowRegistry } from "../../../workflows/run-kit.ts";
import { formatProblem } from "../../loading/workflow-errors.ts";
import { formatLeftOut } from "../../trust/project-trust.ts";
import type { Workspace } from "../../workspace.ts";
import type { ChatWorkflow } from "./workflow-commands.ts";

/** So many problems are shown. */
const MAX_SHOWN_PROBLEMS = 5;

/** What a {@link WorkflowList} is made with. */
export interface WorkflowListOptions {
  readonly workspace: Pick<Workspace, "projectDirectory" | "loadProject" | "trust">;
  /** Receives a line about each file that cannot be used. */
  readonly tell: (line: string) => void;
  /** How long files may be checked before the list so far is used, in milliseconds. @default 500 */
  readonly graceMs?: number;
}

/**
 * The workflows of a project and the user. New and changed files are checked in processes of their own, which may take
 * seconds: meanwhile, the list has what was found before, at first the built-in workflows only.
 */
export class WorkflowList {
  readonly #options: WorkflowListOptions;
  #known: readonly ChatWorkflow[] = createWorkflowRegistry([]).workflows;

  constructor(options: WorkflowListOptions) {
    this.#options = options;
  }

  /**
   * Checks the files, and lists all workflows.
   *
   * @param onSlow receives the list so far when the check takes a while
   * @throws the signal's reason
   */
  async load(signal: AbortSignal, onSlow: (known: readonly ChatWorkflow[]) => void): Promise<readonly ChatWorkflow[]> {
    const { graceMs = 500 } = this.#options;
    const timer = setTimeout(() => onSlow(this.#known), graceMs);
    timer.unref();
    try {
      this.#known = await loadWorkflows(this.#options, signal);
      return this.#known;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The built-in ones where the list cannot be read. */
async function loadWorkflows(
  { workspace, tell }: WorkflowListOptions,
  signal: AbortSignal,
): Promise<readonly ChatWorkflow[]> {
  try {
    const { projectDirectory } = workspace;
    const { registry, problems, untrusted, claudeScripts } = await workspace.loadProject(projectDirectory, signal);
    tellProblems(problems, tell);
    const names = untrusted.map((path) => nameInProject(path, projectDirectory));
    if (names.length > 0) tell(formatLeftOut(names, { isChat: true }));
    const isTrusted = await workspace.trust.isTrusted(projectDirectory);
    const scripts = claudeScripts.filter(({ source }) => isTrusted || source === "global");
    return [
      ...registry.workflows,
      ...scripts.map(({ name, description, source }) => ({
        metadata: { name, description, source, aliases: [] },
        isScript: true,
      })),
    ];
  } catch (error) {
    signal.throwIfAborted();
    tell(`The workflows cannot be listed: ${messageOf(error)}`);
    return createWorkflowRegistry([]).workflows;
  }
}

/** A file of the project without the project's folder, as the warnings about agents' files name theirs. */
function nameInProject(path: string, projectDirectory: string): string {
  const name = relative(projectDirectory, path);
  return name === "" || name.startsWith("..") ? path : name;
}

/** Shows the errors among the problems of files. */
export function tellProblems(problems: readonly DiscoveryProblem[], tell: (line: string) => void): void {
  const errors = problems.filter(({ severity }) => severity === "error");
  for (const problem of errors.slice(0, MAX_SHOWN_PROBLEMS)) tell(formatProblem(problem));
  const left = errors.length - MAX_SHOWN_PROBLEMS;
  if (left > 0) tell(`${left} more files cannot be used. See all of them: atomic doctor`);
}
