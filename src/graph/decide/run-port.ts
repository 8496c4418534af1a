import type { RunEvent, RunStatus } from "../../contracts/index.ts";
import type { NodeCall } from "../model/node-calls.ts";
import type { NodeResult } from "../model/node-definition.ts";
import type { RunBudget } from "../model/spending.ts";
import type { Spent } from "../model/spent.ts";
import type { SteeringCommand } from "../model/steering-command.ts";
import type { JournalRecord } from "./records/journal-record.ts";
import type { Failure, RunState, Task, Thread } from "./records/run-state.ts";

/** The result of a node's execution. */
export interface TaskReport {
  readonly task: Task;
  readonly spent: Spent | undefined;
  readonly startedAt: number;
}

/** A node ended its graph, perhaps with an output for the run. */
export interface FinishedRun {
  readonly output?: unknown;
}

/** What a port reports to the coordinator. */
export type PortEvent =
  | (TaskReport & {
      readonly type: "task-done";
      readonly result: NodeResult | undefined;
      readonly finish?: FinishedRun;
    })
  | (TaskReport & { readonly type: "task-failed"; readonly error: Error })
  /** A running node has spent something. All that it spends is reported so, before its end reports the sum. */
  | { readonly type: "usage"; readonly task: Task; readonly spent: Spent }
  /** A running node waits for other nodes, or does so no longer. */
  | { readonly type: "idle"; readonly task: Task; readonly isIdle: boolean }
  /** A running node makes a call, or starts one again that has failed. `resolve` gets its branch. */
  | {
      readonly type: "call";
      readonly task: Task;
      readonly call: NodeCall | { readonly again: number };
      readonly resolve: (branch: Thread) => void;
      readonly reject: (error: Error) => void;
    }
  /** A running node wants to know when calls end; `onEnd` is called at once, and whenever more of the ends are durable. */
  | { readonly type: "calls-watch"; readonly task: Task; readonly onEnd: () => void }
  /** A running node only waits for its calls; it has got `endCount` ends. */
  | { readonly type: "calls-rest"; readonly task: Task; readonly endCount: number }
  | { readonly type: "timer"; readonly key: string }
  /** A command for a node; `settle` is called once: after it took effect, or with the reason why it cannot. */
  | { readonly type: "command"; readonly command: SteeringCommand; readonly settle: (error?: Error) => void }
  /** A failure that belongs to no node and ends the run. */
  | { readonly type: "crash"; readonly error: Error }
  | { readonly type: "cancel"; readonly reason?: unknown };

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** An event as the coordinator publishes it; the port adds the run and the time. */
export type PublishedEvent = DistributiveOmit<RunEvent, "runId" | "at">;

/** What an environment that runs graphs must provide: one process here, a durable engine elsewhere. */
export interface RunPort {
  now(): number;
  /** From 0 to 1, for jitter. */
  random(): number;
  startTask(task: Task): void;
  abortTask(task: Task, reason: unknown): void;
  /** Abandons a task's code: nothing of it is reported any more. */
  abandonTask(task: Task): void;
  /** Reports a `timer` event at this time; replaces an earlier timer of the same key. */
  startTimer(key: string, at: number): void;
  /** The oldest event that has not been returned yet. */
  nextEvent(): PortEvent | Promise<PortEvent>;
  /** Appends a record durably (E4). */
  append(record: JournalRecord): void | Promise<void>;
  /** Whether {@link publish} is worth calling. */
  readonly isObserved: boolean;
  /** Whether `node-end` events contain the state. */
  readonly hasStateInEvents: boolean;
  publish(event: PublishedEvent): void;
}

/** Limits of a run (E3). */
export interface RunLimits {
  readonly maxConcurrency: number;
  readonly maxSteps: number;
  readonly maxVisits: number;
  readonly timeoutMs: number | undefined;
  readonly budget: RunBudget | undefined;
  /** Whether a question can be answered after this process has ended: requires a journal. */
  readonly canSuspend: boolean;
  /** How long a process stays alive for a question that will answer itself. */
  readonly autoApproveWaitMs: number;
  /** The output of a completed run. Must not throw. */
  readonly outputOf: (run: RunState) => unknown;
  /** How long a node may take to stop before it is abandoned. */
  readonly cancelGraceMs: number;
}

/** How a process's part in a run ended. */
export interface RunOutcome {
  readonly status: Exclude<RunStatus, "running">;
  readonly failure: Failure | undefined;
  /** Of a completed run. */
  readonly output?: unknown;
}
