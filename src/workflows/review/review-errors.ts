import { AtomicError } from "../../contracts/index.ts";

/** There is no working tree whose changes could be reviewed. */
export class NoWorkTreeError extends AtomicError {
  constructor(
    readonly workingDirectory: string,
    /** What git says about the folder. */
    readonly detail: string,
  ) {
    super(
      "REVIEW_NO_WORK_TREE",
      `${workingDirectory} is not in a git working tree, so there are no changes to review (${detail}). Run the review inside a repository.`,
    );
  }
}

/** Git is not installed. */
export class ReviewGitMissingError extends AtomicError {
  constructor() {
    super("REVIEW_GIT_MISSING", "A review reads the changes with git, which is not on the PATH. Install git.");
  }
}

/** The base of the review is no commit. */
export class UnknownBaseError extends AtomicError {
  constructor(
    readonly base: string,
    /** Branches with a similar name. */
    readonly nearest: string | undefined,
  ) {
    const hint =
      nearest === undefined
        ? "Name a branch, a tag or a commit that this repository has."
        : `Did you mean "${nearest}"?`;
    super("REVIEW_BASE_UNKNOWN", `There is no commit "${base}" in this repository. ${hint}`);
  }
}

/** Git failed to read the changes. */
export class ChangesUnreadableError extends AtomicError {
  constructor(readonly detail: string) {
    super("REVIEW_CHANGES_UNREADABLE", `Git cannot read the changes: ${detail}. Repair the repository and try again.`);
  }
}

/** No reviewer returned findings, so nothing was reviewed. */
export class ReviewFailedError extends AtomicError {
  constructor(readonly failures: readonly { readonly reviewer: string; readonly error: string }[]) {
    const list = failures.map(({ reviewer, error }) => `  - ${reviewer}: ${error}`).join("\n");
    super("REVIEW_FAILED", `Every reviewer failed:\n${list}\nResolve the cause, then resume the run.`);
  }
}

/** The input of a review is invalid. */
export class InvalidReviewInputError extends AtomicError {
  constructor(readonly problems: readonly string[]) {
    super("INPUT_INVALID", `The input of the review was rejected: ${problems.join("; ")}. Correct it.`);
  }
}
