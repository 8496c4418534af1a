/** Settings of a {@link GitReader}'s call. */
export interface GitReaderOptions {
  readonly workingDirectory: string;
  readonly signal: AbortSignal;
  /** The longest output. @default 16_777_216 */
  readonly maxBytes?: number;
}

/** What came of a git command. */
export type GitOutcome =
  | { readonly type: "done"; readonly stdout: string }
  /** Git rejected the command; `message` is the last line that it printed. */
  | { readonly type: "failed"; readonly exitCode: number; readonly message: string }
  /** The output is longer than `maxBytes`. */
  | { readonly type: "too-long" }
  /** There is no git on this machine. */
  | { readonly type: "missing" };

/**
 * Runs a git command that only reads. Must not run any program that the repository names: its hooks, filters and helpers.
 * Rejects if git is killed or cannot start.
 */
export type GitReader = (args: readonly string[], options: GitReaderOptions) => Promise<GitOutcome>;
