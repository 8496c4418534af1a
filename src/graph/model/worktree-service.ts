/** A piece of work in a working tree of its own. */
export interface WorktreeTask {
  readonly runId: string;
  /** Identifies the piece of work within the run; the same after a restart. May contain any character. */
  readonly taskId: string;
  /** Aborted when the run no longer needs the result. */
  readonly signal: AbortSignal;
}

/** A working tree of its own. */
export interface OpenedWorktree {
  /** Where the worker starts. */
  readonly workingDirectory: string;
  readonly branch: string;
  /** For commands there: the ports, and the path. */
  readonly environment: Readonly<Record<string, string>>;
  /** TCP ports that no other working tree has. */
  readonly ports: readonly number[];
  /** What it lacks, for people: uncommitted changes of the project, files that were left out. */
  readonly warnings: readonly string[];
  /**
   * Whether somebody has merged the work of an earlier attempt, which could not be merged: nothing is left to do. Reported
   * once: if what is there turns out not to suffice, the next attempt continues the work. @default false
   */
  readonly isMergedByHand?: boolean;
}

/** Conflicts of a merge, for the agent or the function that resolves them. */
export interface WorktreeConflict {
  /** The top of the working tree, in the middle of `git merge`, with conflict markers in the files. */
  readonly workingDirectory: string;
  /** The files with conflicts, from there. */
  readonly files: readonly string[];
  /** The project's folder in the working tree: where commands run. */
  readonly projectFolder: string;
  /** For commands there: the ports, and the path. */
  readonly environment: Readonly<Record<string, string>>;
  /** Identifies what the files contain now; equal contents have equal texts. */
  readonly snapshot: () => Promise<string>;
  readonly signal: AbortSignal;
}

/** How a piece of work reached the project's branch. Except after `merged` and `unchanged`, its own branch keeps it. */
export type WorktreeMerge =
  /** The project's branch has it. */
  | { readonly type: "merged"; readonly branch: string }
  /** The last commit on its branch is not the one to be merged: somebody has committed there since. */
  | {
      readonly type: "changed";
      readonly branch: string;
      /** Where the worker started, and the variables for commands there. */
      readonly workingDirectory: string;
      readonly environment: Readonly<Record<string, string>>;
    }
  /** Nothing was changed. */
  | { readonly type: "unchanged"; readonly branch: string }
  /** These files were changed on both sides, and nobody resolved them. */
  | { readonly type: "conflict"; readonly branch: string; readonly files: readonly string[] }
  /** Something in the project is in the way, such as uncommitted changes of the same files. */
  | { readonly type: "blocked"; readonly branch: string; readonly files: readonly string[]; readonly reason: string };

/** Settings of {@link WorktreeService.merge}. */
export interface MergeTaskOptions {
  /** The first line of the merge commit. */
  readonly message: string;
  /** The only commit that may be merged. @default the last one on the branch */
  readonly commit?: string;
  /** Resolves conflicts; `false` if it could not. @default the merge is given up */
  readonly resolveConflict?: (conflict: WorktreeConflict) => Promise<boolean>;
}

/** Settings of {@link WorktreeService.open}. */
export interface OpenWorktreeOptions {
  /** Prepares a new working tree. */
  readonly setupCommand?: string;
  /** The project's branch that it starts at, and that the work goes back to. @default the one that is checked out */
  readonly targetBranch?: string;
}

/** Creates working trees for workers, and brings their changes back. Each call can be repeated after a crash. */
export interface WorktreeService {
  /** Creates the working tree, or returns the one of an earlier attempt with the work in it. */
  open(task: WorktreeTask, options?: OpenWorktreeOptions): Promise<OpenedWorktree>;
  /** Commits what the worker left, if anything. Returns the last commit of its branch; none if the working tree was removed. */
  commit(task: WorktreeTask, message: string): Promise<{ readonly commit?: string }>;
  /** Merges what is committed into the project's branch. */
  merge(task: WorktreeTask, options: MergeTaskOptions): Promise<WorktreeMerge>;
  /** Removes the working tree, unless something in it would be lost. Returns what that is, for people. */
  close(task: WorktreeTask): Promise<readonly string[]>;
}
