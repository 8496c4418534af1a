import { AtomicError } from "../../contracts/index.ts";

/** No git on the PATH. */
export class GitMissingError extends AtomicError {
  readonly isRetryable = false;

  constructor() {
    super(
      "GIT_MISSING",
      "Worktrees need git, and none is on the PATH. Install git 2.34 or newer, or run without worktrees.",
    );
  }
}

/** The git on the PATH lacks commands that worktrees need. */
export class GitTooOldError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly program: string,
    readonly versions: { readonly found: string; readonly oldest: string },
  ) {
    super(
      "GIT_TOO_OLD",
      `${program} is git ${versions.found}, and worktrees need ${versions.oldest} or newer. Update git, or run without worktrees.`,
    );
  }
}

/** A command of git failed for a reason that Atomic does not know. */
export class GitFailedError extends AtomicError {
  constructor(
    /** The command without its settings, for example `worktree add`. */
    readonly command: string,
    readonly folder: string,
    readonly result: { readonly exitCode: number; readonly stderr: string },
  ) {
    const detail = result.stderr.trim() || "without a message";
    super("GIT_FAILED", `"git ${command}" failed in ${folder} with exit code ${result.exitCode}: ${detail}`);
  }
}

/** A git that only reads did not end. */
export class GitStuckError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    /** The command without its settings. */
    readonly command: string,
    readonly folder: string,
  ) {
    super(
      "GIT_STUCK",
      `"git ${command}" was stopped in ${folder}, because it did not end in time. Look for a named pipe in place of a file that git reads, such as .gitignore.`,
    );
  }
}

/** The project is in no repository that worktrees can be made of. */
export class RepositoryUnusableError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly project: string,
    readonly reason: "not-a-repository" | "bare" | "no-commits" | "not-committed" | "filters" | "rejected",
    detail?: string,
  ) {
    super("REPOSITORY_UNUSABLE", `${project} ${describeReason(reason, detail)}`);
  }
}

function describeReason(reason: RepositoryUnusableError["reason"], detail = ""): string {
  switch (reason) {
    case "not-a-repository":
      return 'is in no git repository, so workers cannot have worktrees. Run "git init" there and commit the files, or run without worktrees.';
    case "bare":
      return 'has no working tree: it is a bare repository, or a git folder. Create one with "git worktree add", and start there.';
    case "no-commits":
      return 'is a repository without commits, and a worktree starts at one. Commit first: git add . && git commit -m "Start".';
    case "not-committed":
      return 'is a folder of which git has no file, and a worktree has only what is committed. Commit first: git add . && git commit -m "Start".';
    case "filters":
      return `has filters for its files (${detail}), which do not run because the project is not trusted: what workers commit would differ from what you commit. Look at .git/config, then trust the project: atomic trust add`;
    default:
      return `is a repository that git rejects: ${detail} Correct that, then try again.`;
  }
}

/** Something else has the folder or the branch of a new worktree. */
export class WorktreeNameTakenError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly kind: "folder" | "branch",
    readonly taken: string,
  ) {
    const remedy = kind === "folder" ? "Move it away" : `Rename it with "git branch -m"`;
    super(
      "WORKTREE_NAME_TAKEN",
      `The ${kind} ${taken} exists already, and Atomic did not create it for this task. ${remedy}, then try again.`,
    );
  }
}

/** The file about a worktree is missing: Atomic did not create the worktree, or has removed it. */
export class WorktreeUnknownError extends AtomicError {
  constructor(readonly recordFile: string) {
    super(
      "WORKTREE_UNKNOWN",
      `There is no worktree with the file ${recordFile}. It has been removed; create it again.`,
    );
  }
}

/** The file about a worktree, or the list of ports, is invalid. */
export class WorktreeRecordError extends AtomicError {
  constructor(
    readonly path: string,
    readonly problems: readonly string[],
    options?: { readonly cause?: unknown },
  ) {
    super(
      "WORKTREE_RECORD_INVALID",
      `${path} cannot be used: ${problems.join("; ")}. Correct the file, or move it away when no run is in progress.`,
      options,
    );
  }
}

/** The folder of a worktree is no longer one, or misses parts. */
export class WorktreeDamagedError extends AtomicError {
  constructor(
    readonly path: string,
    problem: string,
  ) {
    super("WORKTREE_DAMAGED", `The worktree ${path} ${problem}. Nothing was changed. Repair it, or move it away.`);
  }
}

/** The set-up command of a worktree failed. */
export class WorktreeSetupError extends AtomicError {
  /** It has failed for a reason that another attempt does not change. */
  readonly isRetryable = false;

  constructor(
    readonly command: string,
    readonly path: string,
    readonly result: { readonly exitCode: number; readonly output: string },
  ) {
    const output =
      result.output.trim() === "" ? "It printed nothing." : `The end of its output:\n${result.output.trim()}`;
    super(
      "WORKTREE_SETUP_FAILED",
      `The set-up command "${command}" failed in ${path} with exit code ${result.exitCode}. Correct it, then try again. ${output}`,
    );
  }
}

/** Git knows no name and address for commits. */
export class GitIdentityMissingError extends AtomicError {
  readonly isRetryable = false;

  constructor(readonly path: string) {
    super(
      "GIT_IDENTITY_MISSING",
      `Git has no author for commits in ${path}. Run: git config --global user.name "YOUR NAME" && git config --global user.email YOU@EXAMPLE.COM`,
    );
  }
}

/** What a worker left cannot be committed as it is. */
export class WorktreeNotCommittableError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly path: string,
    readonly reason:
      | "conflicts"
      | "rebase"
      | "other-branch"
      | "nested-repository"
      | "submodule"
      | "hook"
      | "named-pipe",
    detail: string,
  ) {
    super("WORKTREE_NOT_COMMITTABLE", `The work in ${path} was not committed: ${detail}`);
  }
}

/** A worktree has work that no branch or only its own branch has. */
export class WorktreeHasWorkError extends AtomicError {
  constructor(
    readonly path: string,
    readonly action: "merge" | "remove",
    /** What would be lost or left out, for people. */
    readonly reasons: readonly string[],
  ) {
    const remedy = action === "merge" ? "Commit it first." : "Merge or save it first, or remove the worktree by force.";
    super("WORKTREE_HAS_WORK", `Did not ${action} the worktree ${path}: ${reasons.join("; ")}. ${remedy}`);
  }
}

/** There is no branch to merge into. */
export class TargetBranchMissingError extends AtomicError {
  readonly isRetryable = false;

  /** Why, as the end of a sentence. */
  readonly reason: string;

  constructor(
    readonly branch: string,
    readonly targetBranch: string | undefined,
  ) {
    const why =
      targetBranch === undefined
        ? "the project was on no branch when the worktree was created"
        : `the branch ${targetBranch} no longer exists`;
    super(
      "TARGET_BRANCH_MISSING",
      `The branch ${branch} was not merged: ${why}. It keeps the work; merge it with "git merge ${branch}", or name a target branch.`,
    );
    this.reason = why;
  }
}
