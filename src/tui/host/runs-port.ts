import type {
  HumanRequest,
  PermissionRequest,
  RunErrorInfo,
  RunEvent,
  TaskProgress,
  Usage,
} from "../../contracts/index.ts";

/** What a run is doing, as `atomic runs list` says it. `unreadable`: its journal cannot be read, so it cannot be continued. */
export type RunState =
  | "running"
  | "pausing"
  | "paused"
  | "suspended"
  | "interrupted"
  | "completed"
  | "failed"
  | "cancelled"
  | "unreadable";

/** A run of this machine. */
export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly state: RunState;
  /** What it was started with, in one line. */
  readonly prompt: string;
  readonly projectDirectory: string;
  readonly agent?: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Which process executed it last. Another value: another process has, since. */
  readonly execution?: string;
}

/** A step of a run's graph, in the order of its text. */
export interface GraphStep {
  readonly nodeId: string;
  readonly name: string;
  readonly nodeType: string;
  /** How deep it is nested in branches, loops and maps. */
  readonly depth: number;
  /** How its branches join, of a map and of parallel branches: whether it accepts that some fail. */
  readonly strategy?: "all" | "race" | "any" | "settled";
  /** The model that it asks for. */
  readonly model?: string;
}

/** A task of a run's list. */
export interface RunTask extends TaskProgress {
  /** The ids of the tasks that must be done before. */
  readonly dependsOn?: readonly string[];
}

/** What is known about a run besides its events. */
export interface RunDetails extends RunSummary {
  /** The model of agents whose step asks for none. */
  readonly model?: string;
  readonly usage: Usage;
  readonly steps: readonly GraphStep[];
  readonly tasks: readonly RunTask[];
  /** The file of the tasks, when the run has one. */
  readonly tasksFile?: string;
  readonly requests: readonly HumanRequest[];
  readonly error?: RunErrorInfo;
  /** The result of a completed run, as text. */
  readonly output?: string;
}

/** A question of a run or of one of its agents. */
export type AskedRequest = HumanRequest & {
  /** Whether a text of the person's own is an answer beside the options. @default false */
  readonly acceptsText?: boolean;
};

/** Something that waits for a person. */
export type InboxItem = {
  readonly runId: string;
  readonly workflow: string;
  /** In milliseconds since 1970. */
  readonly askedAt: number;
  /** When it is denied, or approved by itself. */
  readonly deadline?: number;
} & (
  | {
      readonly type: "question";
      readonly request: AskedRequest;
      /** Of a run without a process: from when on the run continues without an answer, once it is resumed. It has no deadline. */
      readonly dueAt?: number;
    }
  | { readonly type: "permission"; readonly permissionId: string; readonly request: PermissionRequest }
);

/** The answer of a person to a published permission request. */
export type PermissionAnswer = "yes" | "run" | "always" | "no";

/** The runs of this machine. Every method rejects with an error whose message a person can read. */
export interface RunsPort {
  /** Newest first. */
  list(options?: { readonly limit?: number }): Promise<readonly RunSummary[]>;
  load(runId: string): Promise<RunDetails>;
  /** The events so far and then the new ones, until the run has ended or the signal aborts. */
  follow(runId: string, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** Everything that waits for a person, over all runs: the oldest deadline first. */
  loadInbox(): Promise<readonly InboxItem[]>;
  /** Sentences about what the inbox had to leave out, each once. @default nothing is left out */
  takeProblems?(): Promise<readonly string[]>;
  /** How many runs {@link loadInbox} could not read the last time: they may wait for a person, too. @default none */
  countUnreadable?(): Promise<number>;
  answer(runId: string, requestId: string, value: unknown): Promise<void>;
  answerPermission(runId: string, permissionId: string, answer: PermissionAnswer): Promise<void>;
  cancel(runId: string): Promise<void>;
  pause(runId: string): Promise<void>;
  /** Continues a run, or withdraws its pause while steps in progress finish. */
  resume(runId: string): Promise<void>;
  cancelNode(runId: string, taskId: string): Promise<void>;
  skipNode(runId: string, taskId: string): Promise<void>;
  retryNode(runId: string, taskId: string): Promise<void>;
}
