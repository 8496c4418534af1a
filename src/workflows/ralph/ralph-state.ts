import {
  annotation,
  type CommandResult,
  type DebugReport,
  defineState,
  Reducers,
  type StateOf,
  type Task,
  type TaskFailure,
  taskLoopFields,
} from "../../graph/index.ts";
import type { Severity } from "../review/finding.ts";
import type { LeftOut } from "../review/split-changes.ts";

/** What a worker did for a task. */
export interface TaskWork {
  /** The id of the task. */
  readonly id: string;
  /** The worker's agent; empty for the run's. */
  readonly agent: string;
  /** What the worker says that it did. */
  readonly summary: string;
  readonly durationMs: number;
  /** Whether the verify command succeeded with it. */
  readonly isVerified: boolean;
}

/** A confirmed finding of a review. */
export interface RalphFinding {
  /** The id of the task that corrects it. */
  readonly id: string;
  readonly file: string;
  readonly line: number | null;
  readonly severity: Severity;
  readonly title: string;
  readonly description: string;
}

/** A task that failed for good, for the search for its cause. */
export interface FailedWork {
  /** The id of the task. */
  readonly id: string;
  /** The error of the latest attempt. */
  readonly message: string;
  /** What its worker changed on its own branch; empty for work in the working directory. */
  readonly diff: string;
}

/** Why a task failed for good. */
export interface RalphDebugReport {
  /** The id of the task. */
  readonly id: string;
  /** `null` while the cause of the latest failure is not known. */
  readonly report: DebugReport | null;
}

/** What Ralph knows while it works. The first six fields of its own are its input. */
export const RalphState = defineState({
  ...taskLoopFields,
  /** What is wanted, or the path of a file that says it. */
  prompt: annotation(""),
  /** The command that must succeed before a task, and the work, counts as done; empty for none. */
  verifyCommand: annotation(""),
  /**
   * How many tasks are worked on at the same time: more than 1 in git worktrees, 1 in the working directory. 0 chooses: 4
   * where worktrees have all that the project has, otherwise 1.
   */
  workers: annotation(0),
  /** A command line that prepares each worktree; empty for none. */
  setupCommand: annotation(""),
  /** Whether the changes are reviewed when all tasks are done. */
  review: annotation(true),
  /** Whether a pull request is opened when the work is done, where there is a remote and `gh`. */
  pullRequest: annotation(false),
  /** What is wanted, in full: the prompt, or the content of the file it names. */
  goal: annotation(""),
  /** The file with the tasks. */
  tasksPath: annotation(""),
  /** How many workers there are. */
  workerCount: annotation(1),
  /** Whether each task has a worktree. */
  isIsolated: annotation(false),
  /** The branch that the work goes to; empty without one. */
  branch: annotation(""),
  /** The commit before the work; empty without one. */
  startCommit: annotation(""),
  /** The tasks as the file had them last. */
  tasks: annotation<readonly Task[]>([]),
  work: annotation<TaskWork[]>([], Reducers.mergeById<TaskWork>("id")),
  /** The tasks that failed for good in the last round, as far as their causes are looked for. */
  failedWork: annotation<readonly FailedWork[]>([]),
  /** Why tasks failed for good, one report for each task. */
  debugReports: annotation<RalphDebugReport[]>([], Reducers.mergeById<RalphDebugReport>("id")),
  /** How the verify command ended last. */
  verification: annotation<CommandResult | null>(null),
  repairCount: annotation(0),
  reviewCount: annotation(0),
  /** Whether the last review had anything to read. */
  hasReviewedChanges: annotation(false),
  /** What no reviewer read in the last review, and why. */
  leftOut: annotation<readonly LeftOut[]>([]),
  /** The confirmed findings of the last review. */
  findings: annotation<readonly RalphFinding[]>([]),
  isFinished: annotation(false),
  /** The branch that the pull request is of; empty without one. */
  prBranch: annotation(""),
  /** The address of the pull request; empty without one. */
  prUrl: annotation(""),
  /** Why no pull request was opened; empty where one was, or where none is wanted. */
  prProblem: annotation(""),
});

/** The state of a run of Ralph. */
export type RalphState = StateOf<typeof RalphState>;

/** The failed attempts at a task. An id can be the name of a method of all objects. */
export function failureOf({ taskFailures }: Pick<RalphState, "taskFailures">, taskId: string): TaskFailure | undefined {
  return Object.hasOwn(taskFailures, taskId) ? taskFailures[taskId] : undefined;
}
