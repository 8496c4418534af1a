import { AtomicError, type DiscoveryProblem } from "../../contracts/index.ts";
import { visibleLine } from "../../view/index.ts";
import type { AgentCheck } from "../agents/check-agents.ts";
import { quoteWord } from "../output/quote-word.ts";

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

/** A workflow file outside of the folders of workflow files was requested by its path, and nobody trusts its folder. */
export class WorkflowFileUntrustedError extends AtomicError {
  constructor(
    /** The path as the caller wrote it. */
    readonly path: string,
    readonly folder: string,
    { isThisProject }: { readonly isThisProject: boolean },
  ) {
    const file = `The workflow file "${visibleLine(path)}"`;
    super(
      "PROJECT_UNTRUSTED",
      isThisProject
        ? `${file} runs code on your machine, and you have not trusted this project yet. Look at the file, then call again with --trust.`
        : `${file} runs code on your machine, and you have not trusted the folder ${visibleLine(folder)}, which it is in. Look at the file, then call again with --trust, or trust only that folder: atomic trust add ${quoteWord(visibleLine(folder))}`,
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

/** A check of `atomic doctor` for each problem of files of a kind. */
export function checksOf(name: string, problems: readonly DiscoveryProblem[]): readonly AgentCheck[] {
  return problems.map((problem) => ({
    name,
    status: problem.severity === "error" ? "broken" : "warning",
    detail: formatProblem(problem),
  }));
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

/** No workflow has the name, but a file elsewhere has. */
export class WorkflowIsFileError extends AtomicError {
  constructor(
    readonly workflowName: string,
    /** As the caller can write it. */
    readonly path: string,
  ) {
    super(
      "WORKFLOW_UNKNOWN",
      `There is no workflow "${workflowName}", but there is a file of this name. Name it by its path: ${quoteWord(visibleLine(path))}`,
    );
  }
}

/** Several workflow files of one place have the requested name. */
export class WorkflowAmbiguousError extends AtomicError {
  constructor(
    readonly workflowName: string,
    /** As the caller can write them. */
    readonly paths: readonly string[],
  ) {
    super(
      "WORKFLOW_AMBIGUOUS",
      [
        `${paths.length} workflow files have the name "${workflowName}". Run one by its path:`,
        ...listSome(paths.map((path) => `atomic run ${quoteWord(visibleLine(path))}`)),
        "To use the name, give the others another one.",
      ].join("\n"),
    );
  }
}

/** The code of a workflow file did not return in time. */
export class WorkflowTimeoutError extends AtomicError {
  constructor(
    readonly workflowName: string,
    readonly path: string,
    options: { readonly timeoutMs: number; readonly isBuilding: boolean },
  ) {
    const work = options.isBuilding ? "build its graph" : "load";
    const place = options.isBuilding ? "in the exported function" : "at the top level";
    super(
      "WORKFLOW_TIMEOUT",
      `The workflow "${workflowName}" did not ${work} within ${options.timeoutMs} ms (${path}). Look for a loop or an "await" ${place} that never ends, and move slow work into a node.`,
    );
  }
}

function listSome(lines: readonly string[]): readonly string[] {
  const more = lines.length > MAX_NAMED ? [`  - and ${lines.length - MAX_NAMED} more`] : [];
  return [...lines.slice(0, MAX_NAMED).map((line) => `  - ${line}`), ...more];
}

/** A problem in one line: place, message, remedy. */
export function formatProblem({ path, line, column, ...problem }: DiscoveryProblem): string {
  const place = [visibleLine(path), line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${formatAdvice(problem)}`;
}

/** The same without the place. */
export function formatAdvice({ message, remedy }: Pick<DiscoveryProblem, "message" | "remedy">): string {
  return `${message.replace(/(?<![.?])$/, ".")} ${remedy}`.trimEnd();
}
