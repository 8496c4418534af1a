import type { RunEvent, RunStatus, Usage } from "../../contracts/index.ts";
import type { NodeResult } from "../model/node-definition.ts";
import type { RunBudget } from "../model/spending.ts";
import type { SteeringCommand } from "../model/steering-command.ts";
import type { JournalRecord } from "./journal-record.ts";
import type { Failure, RunState, Task } from "./run-state.ts";

/** What a node's execution came to. */
export interface TaskReport {
  readonly task: Task;
  readonly usage: Usage | undefined;
  readonly startedAt: number;
}

/** A node has brought its graph to the end, perhaps with an output of its own. */
export interface FinishedRun {
  readonly output?: unknown;
}

/** What the world tells the coordinator. */
export type PortEvent =
  | (TaskReport & {
      readonly type: "task-done";
      readonly result: NodeResult | undefined;
      readonly finish?: FinishedRun;
    })
  | (TaskReport & { readonly type: "task-failed"; readonly error: Error })
  /** A node that runs used something up; its end will say so again. */
  | { readonly type: "usage"; readonly task: Task; readonly usage: Usage }
  | { readonly type: "timer"; readonly key: string }
  /** Somebody wants something done to a node; `settle` is called once, when it was, or with what keeps it from being. */
  | { readonly type: "command"; readonly command: SteeringCommand; readonly settle: (error?: Error) => void }
  /** Something failed that belongs to no node; so does the run. */
  | { readonly type: "crash"; readonly error: Error }
  | { readonly type: "cancel"; readonly reason?: unknown };

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What happened, as the coordinator tells it; the port adds the run and the time. */
export type PublishedEvent = DistributiveOmit<RunEvent, "runId" | "at">;

/** What a place that runs graphs must offer (one process here, a durable engine elsewhere). */
export interface RunPort {
  now(): number;
  /** From 0 to 1, for jitter. */
  random(): number;
  startTask(task: Task): void;
  abortTask(task: Task, reason: unknown): void;
  /** Leaves a task's code behind: nothing of it is told any more. */
  abandonTask(task: Task): void;
  /** Calls back with a `timer` event; the same key replaces an earlier one. */
  startTimer(key: string, at: number): void;
  /** The first thing that happened and was not told yet. */
  nextEvent(): PortEvent | Promise<PortEvent>;
  /** Keeps a record durably (E4). */
  append(record: JournalRecord): void | Promise<void>;
  /** Whether {@link publish} is worth calling. */
  readonly isObserved: boolean;
  /** Whether the end of a node is told with the state it left. */
  readonly hasStateInEvents: boolean;
  publish(event: PublishedEvent): void;
}

/** Bounds of a run (E3). */
export interface RunLimits {
  readonly maxConcurrency: number;
  readonly maxSteps: number;
  readonly maxVisits: number;
  readonly timeoutMs: number | undefined;
  readonly budget: RunBudget | undefined;
  /** Whether somebody can answer a question after this process: there is a journal that keeps it. */
  readonly canSuspend: boolean;
  /** For how long a process stays alive for a question that will answer itself. */
  readonly autoApproveWaitMs: number;
  /** What a completed run has come to. Must not throw. */
  readonly outputOf: (run: RunState) => unknown;
  /** For how long a node that is told to stop may take, before it is left behind. */
  readonly cancelGraceMs: number;
}

/** How a process's part in a run ended. */
export interface RunOutcome {
  readonly status: Exclude<RunStatus, "running">;
  readonly failure: Failure | undefined;
  /** Of a completed run. */
  readonly output?: unknown;
}
