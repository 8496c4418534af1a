import { dirname, join } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import type { UnfinishedTask } from "../../graph/index.ts";

/** The file of a session, next to its tasks, with the reports of those that failed. */
export const DEBUG_REPORTS_FILE = "debug-reports.json";

/** There was nothing to work on. */
export class NoPromptError extends AtomicError {
  constructor() {
    super(
      "RALPH_NO_PROMPT",
      'Ralph needs to know what to do. Say it: atomic ralph "Add a --json flag to the list command"',
    );
  }
}

/** The prompt looks like the path of a document, and there is none. */
export class PromptFileNotFoundError extends AtomicError {
  constructor(readonly path: string) {
    super(
      "RALPH_PROMPT_FILE_NOT_FOUND",
      `There is no file ${path}. Correct the path; to describe the work instead, use more than one word.`,
    );
  }
}

/** What should say what to do is no text to plan from. */
export class UnusablePromptError extends AtomicError {
  constructor(
    readonly what: string,
    problem: string,
  ) {
    super("RALPH_PROMPT_UNUSABLE", `${what} ${problem}. Pass the work to do as words, or as the path of a text file.`);
  }
}

/** The file that should say what to do says nothing. */
export class EmptyPromptFileError extends AtomicError {
  constructor(readonly path: string) {
    super("RALPH_PROMPT_FILE_EMPTY", `The file ${path} is empty. Write into it what is to be done.`);
  }
}

/** The work was done, but the verify command still fails. */
export class WorkNotVerifiedError extends AtomicError {
  constructor(
    readonly command: string,
    readonly exitCode: number,
    readonly repairCount: number,
    outputTail: string,
  ) {
    super(
      "RALPH_NOT_VERIFIED",
      `The command \`${command}\` still ends with exit code ${exitCode} after ${repairCount} attempts to repair it. Repair it by hand, then resume the run.\n${outputTail}`,
    );
  }
}

/** Another branch is checked out than the one that the work is merged into. */
export class OtherBranchError extends AtomicError {
  constructor(
    readonly branch: string,
    readonly found: string,
  ) {
    const place = found === "" ? "on no branch" : `on the branch ${found}`;
    super(
      "RALPH_OTHER_BRANCH",
      `The work is on the branch ${branch}, and the project is ${place} now. Switch back, then resume the run: git switch ${branch}`,
    );
  }
}

/** Tasks failed for good, or wait for such. */
export class TasksLeftError extends AtomicError {
  constructor(
    readonly path: string,
    readonly tasks: readonly UnfinishedTask[],
    /** What the debugger found, by task id. */
    readonly causes: ReadonlyMap<string, string> = new Map(),
  ) {
    const list = tasks.map(({ id, name, reason }) => {
      const cause = causes.get(id);
      return `\n  - ${id}, ${name}: ${reason}${cause === undefined ? "" : `\n    Cause: ${cause}`}`;
    });
    const reports = tasks.some(({ id }) => causes.has(id))
      ? `\nThe reports: ${join(dirname(path), DEBUG_REPORTS_FILE)}`
      : "";
    super(
      "RALPH_TASKS_LEFT",
      `These tasks are not done:${list.join("")}${reports}\nResume the run to try them again. You can correct the tasks before, in ${path}.`,
    );
  }
}

/** Tasks were left when the limit of a round was reached. */
export class TaskLimitError extends AtomicError {
  constructor(
    readonly maxIterations: number,
    readonly taskIds: readonly string[],
  ) {
    super(
      "RALPH_LIMIT",
      `Ralph started ${maxIterations} tasks, which is its limit, and these are not done: ${taskIds.join(", ")}. Resume the run to allow as many again.`,
    );
  }
}

/** The last review confirmed severe findings. */
export class FindingsLeftError extends AtomicError {
  constructor(
    readonly reviewCount: number,
    readonly findings: readonly string[],
  ) {
    const list = findings.map((finding) => `\n  - ${finding}`).join("");
    super(
      "RALPH_FINDINGS_LEFT",
      `The work is done, but review ${reviewCount}, which is the last one, confirmed severe findings:${list}\nCorrect them by hand, or resume the run to have them corrected and reviewed again.`,
    );
  }
}
