/** Something wrong with a file that discovery looked at. The file is left out or used in part; the others are not affected. */
export interface DiscoveryProblem {
  /** The file or folder to look at. */
  readonly path: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 1; only together with `line`. */
  readonly column?: number;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** `error`: what the file offers is missing. `warning`: it is there, but not all of it as its author meant. */
  readonly severity: "error" | "warning";
  /** Whether loading the file took all the time that one file is given: whoever waited for another one wonders why. */
  readonly isTimeout?: boolean;
}
