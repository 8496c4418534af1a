import { AtomicError } from "../../contracts/index.ts";

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
      `There is no file ${path}. Correct the path, or say in more than one word what to do.`,
    );
  }
}

/** The file that should say what to do says nothing. */
export class EmptyPromptFileError extends AtomicError {
  constructor(readonly path: string) {
    super("RALPH_PROMPT_FILE_EMPTY", `The file ${path} is empty. Write into it what is to be done.`);
  }
}

/** Tasks are left that cannot be begun. */
export class BlockedTasksError extends AtomicError {
  constructor(readonly taskIds: readonly string[]) {
    super(
      "RALPH_TASKS_BLOCKED",
      `No task can be begun, but these are not done: ${taskIds.join(", ")}. They depend on tasks that failed or were skipped. Correct tasks.json in the session's folder, then resume the run.`,
    );
  }
}

/** The work was done, but the verify command still fails. */
export class VerificationFailedError extends AtomicError {
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
