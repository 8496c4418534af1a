import type { HumanRequest, RunErrorInfo, RunEvent, RunStatus, Usage } from "../contracts/index.ts";
import type { BaseState } from "./annotation.ts";
import type { Checkpointer } from "./checkpointer.ts";
import type { CodeGuard } from "./code-guard.ts";
import type { RunServices } from "./execution-context.ts";
import type { MigrateState } from "./migrate-state.ts";
import type { RunBudget } from "./spending.ts";
import type { RunControl } from "./steering/run-control.ts";
import type { SteeringCommand } from "./steering/steering-command.ts";
import type { TelemetryPort } from "./telemetry/telemetry-port.ts";

/** Settings of a graph, given to `compile()`; each can be overridden for a run. */
export interface GraphConfig {
  /** The workflow's name, for journals and lists. @default "graph" */
  readonly name?: string;
  /** The workflow's version, for the journal. */
  readonly version?: string;
  /** The version of the state's shape. Raise it with a change that runs under way must follow. @default 0 */
  readonly stateVersion?: number;
  /** Brings the state of a run that an older version began to today's shape; required once `stateVersion` was raised. */
  readonly migrateState?: MigrateState;
  /** Keeps the run on disk. Without one a run cannot be resumed after its process. */
  readonly checkpointer?: Checkpointer;
  /** How many nodes may run at the same time, nested branches included. @default 16 */
  readonly maxConcurrency?: number;
  /** How many nodes a run may start in all. @default 1_000_000 */
  readonly maxSteps?: number;
  /** The longest time this process may spend on the run, in milliseconds. @default none */
  readonly timeoutMs?: number;
  /** Another name of {@link timeoutMs}. */
  readonly timeout?: number;
  /** How much the run may use up, all its processes together. @default no bound */
  readonly budget?: RunBudget;
  /** The model of nodes that name none. @default the agent's own */
  readonly defaultModel?: string;
  /**
   * The agent that {@link defaultModel} is a model of: nodes that name another agent are left to that agent's own.
   * @default it is one of every agent
   */
  readonly defaultModelAgent?: string;
  /** The `compaction` threshold of context monitors that name none, 0 to 1. @default 0.45 */
  readonly contextWindowThreshold?: number;
  /** For how long a process waits for a question that will answer itself, in milliseconds. @default 600_000 */
  readonly autoApproveWaitMs?: number;
  /** For how long a cancelled node may clean up, in milliseconds. @default 10_000 */
  readonly cancelGraceMs?: number;
  /** Where spans of the run go, for OpenTelemetry and the like. They hold no prompt, path or code. @default nowhere */
  readonly telemetry?: TelemetryPort;
  /** How much is written to the journal before a snapshot makes loading shorter, in characters. @default 262_144 */
  readonly snapshotMinLength?: number;
  /**
   * `all`: every moment of a run can be looked at and forked from. `latest`: a snapshot takes the place of all that
   * stands before it, so that the journal of a run that goes on for ever does not grow with it.
   * @default "all"
   */
  readonly history?: "all" | "latest";
}

/** Settings of one run. */
export interface RunOptions extends GraphConfig {
  /** @default a random one */
  readonly runId?: string;
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  readonly services?: RunServices;
  /** Steers the run while it is executed: cancels, skips and retries nodes. */
  readonly control?: RunControl;
  /** Surrounds the code of nodes. */
  readonly guard?: CodeGuard;
  /** Hears everything that happens. What it throws is one of the result's `warnings`; the run goes on. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Whether `node-end` events carry the whole state as the node left it, besides its update. @default false */
  readonly hasStateInEvents?: boolean;
  /**
   * Hears the state after each step, as it is in the run's own thread: branches show when they have joined. What it throws
   * is a `warning`; the run goes on.
   */
  readonly onProgress?: (state: BaseState) => void;
  /** The clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Chance, from 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/** Settings of a run that is resumed. */
export interface ResumeOptions extends Omit<RunOptions, "runId"> {
  /** What is to be done to nodes before anything else: the way to skip the node that a run failed at. */
  readonly commands?: readonly SteeringCommand[];
}

/** Settings of a run that is watched. */
export interface StreamOptions extends RunOptions {
  /** The types of event to yield. @default all */
  readonly events?: readonly RunEvent["type"][];
}

/** Answers to open questions, by the id of the question. */
export type Answers = Readonly<Record<string, unknown>>;

/** Where to look for a run, and how to read it. */
export interface HistoryOptions extends Pick<GraphConfig, "stateVersion" | "migrateState"> {
  /** @default the graph's own */
  readonly checkpointer?: Checkpointer;
  /** Needed where nodes run workflows by name. */
  readonly services?: RunServices;
}

/** Where a new run departs from an old one. */
export interface ForkPoint<State extends BaseState = BaseState> {
  /** The `sequence` of a checkpoint. */
  readonly at: number;
  /**
   * Fields to change first, combined with the state by their reducers: that of the branch or subgraph which the checkpoint
   * belongs to.
   */
  readonly update?: Partial<State>;
}

/** How a run, or this process's part in it, ended. */
export interface RunResult<State extends BaseState = BaseState> {
  readonly runId: string;
  readonly status: Exclude<RunStatus, "running">;
  readonly state: State;
  /** Open questions; not empty when `suspended`. */
  readonly requests: readonly HumanRequest[];
  /** Why the run failed. */
  readonly error: Error | undefined;
  /** The same, as plain data. */
  readonly errorInfo: RunErrorInfo | undefined;
  readonly usage: Usage;
  /** What went wrong beside the run, each thing once: an `onEvent` or `onProgress` that threw. */
  readonly warnings: readonly string[];
}
