import { AtomicError } from "../../contracts/index.ts";

/** An agent wrote no script that can run, though it could read what is wrong with each. */
export class ScriptNotWrittenError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly draftCount: number,
    readonly problems: readonly string[],
  ) {
    super(
      "SCRIPT_NOT_WRITTEN",
      `None of ${draftCount} drafts can run. The last one: ${problems.join(" ")} Say more exactly what is wanted, use another model, or write the script yourself.`,
    );
  }
}

/** The name for a script is none. */
export class ScriptNameError extends AtomicError {
  readonly isRetryable = false;

  constructor(readonly scriptName: string) {
    super(
      "SCRIPT_NAME_INVALID",
      `"${scriptName}" cannot name a script. Use letters, digits, "-" and "_", at most 64, such as "review-changes".`,
    );
  }
}

/** Another workflow has the name that a script is to have. */
export class ScriptNameTakenError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly scriptName: string,
    taken: string,
  ) {
    super("SCRIPT_NAME_TAKEN", `The name "${scriptName}" is taken: ${taken}. Choose another name.`);
  }
}
