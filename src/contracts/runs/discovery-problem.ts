/** A problem with a discovered file. The file is skipped or used in part; other files are not affected. */
export interface DiscoveryProblem {
  /** The affected file or folder. */
  readonly path: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 1; only together with `line`. */
  readonly column?: number;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** `error`: the file's workflow is missing. `warning`: it is available, but not entirely as its author intended. */
  readonly severity: "error" | "warning";
  /** Whether loading the file timed out: it delayed the other files, so report it to users who wait for one of them. */
  readonly isTimeout?: boolean;
  /** The other file that the problem is about, because it has the same name. */
  readonly otherPath?: string;
}
