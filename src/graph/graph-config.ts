import type { HumanRequest, RunErrorInfo, RunEvent, RunStatus, Usage } from "../contracts/index.ts";
import type { BaseState } from "./annotation.ts";
import type { Checkpointer } from "./checkpointer.ts";
import type { CodeGuard } from "./code-guard.ts";
import type { RunServices } from "./execution-context.ts";
import type { GraphSettings } from "./graph-settings.ts";
import type { MigrateState } from "./migrate-state.ts";
import { sessionConfig } from "./nodes/agent-settings.ts";
import { listOf, type OptionAdvice, type OptionTable, shape } from "./options/find-option-problems.ts";
import {
  aFunction,
  amount,
  countOrInfinity,
  fraction,
  having,
  milliseconds,
  object,
  oneOf,
  required,
  saver,
  someText,
  text,
  timeLimit,
  wholeNumber,
  yesOrNo,
} from "./options/option-checks.ts";
import type { RunBudget } from "./spending.ts";
import type { RunControl } from "./steering/run-control.ts";
import type { NodeCommand } from "./steering/steering-command.ts";
import type { TelemetryPort } from "./telemetry/telemetry-port.ts";

/** Settings of a graph, given to `compile()`; each can be overridden for a run. */
export interface GraphConfig<State extends BaseState = BaseState, Output = unknown> {
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
  /**
   * With `false` the run is not kept, unless `run()` is given a checkpointer of its own, as the command line does. With `true`
   * a run without a checkpointer is refused.
   * @default runs are kept where there is a checkpointer
   */
  readonly checkpointing?: boolean;
  /** How many nodes may run at the same time, nested branches included. @default 16 */
  readonly maxConcurrency?: number;
  /** How many nodes a run may start in all. @default 1_000_000 */
  readonly maxSteps?: number;
  /**
   * How often a `goto` may lead to one node, in one branch, and within one iteration of the loops that both lie in. Loops
   * and maps have bounds of their own.
   * @default 1_000
   */
  readonly maxVisits?: number;
  /** The longest time this process may spend on the run, in milliseconds. @default none */
  readonly timeoutMs?: number;
  /** Another name of {@link timeoutMs}. */
  readonly timeout?: number;
  /** How much the run may use up, all its processes together. @default no bound */
  readonly budget?: RunBudget;
  /**
   * The model of nodes that name none. Where the graph is run by a `subgraphNode` that names a model, that one holds, and
   * otherwise this one, before the run's.
   * @default the agent's own
   */
  readonly defaultModel?: string;
  /**
   * The agent that {@link defaultModel} is a model of: nodes that name another agent are left to that agent's own.
   * @default it is one of every agent
   */
  readonly defaultModelAgent?: string;
  /**
   * From this part of the context window on, 0 to 1, a session with a name is made shorter after the turn of an agent's node,
   * by a summary where the agent can, else by beginning a new one. Also the `compaction` threshold of context monitors that
   * name none.
   * @default none: from 0.6 on there is a warning; context monitors begin at 0.45
   */
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
   * How large what one node leaves may be, as JSON, about, in bytes: its update, the value of a step, its output. A larger
   * one fails the node, before any of it is kept.
   * @default 67_108_864
   */
  readonly maxUpdateBytes?: number;
  /** What a completed run has come to, for its result and for people. Must be pure. @default what the last node left */
  output?(state: Readonly<State>): Output;
  /**
   * `all`: every moment of a run can be looked at and forked from. `latest`: a snapshot takes the place of all that
   * stands before it, so that the journal of a run that goes on for ever does not grow with it.
   * @default "all"
   */
  readonly history?: "all" | "latest";
  /**
   * Hears the state after each step, as it is in the run's own thread: branches show when they have joined. What it throws
   * is a `warning`; the run goes on.
   */
  onProgress?(state: State): void;
}

const BUDGET_OPTIONS: OptionTable<RunBudget> = { maxTokens: amount, maxCostUsd: amount };

/** The options of `compile()`. */
export const GRAPH_OPTIONS: OptionTable<GraphConfig> = {
  name: text,
  version: text,
  stateVersion: wholeNumber,
  migrateState: aFunction,
  checkpointer: saver,
  checkpointing: yesOrNo,
  maxConcurrency: countOrInfinity,
  maxSteps: countOrInfinity,
  maxVisits: countOrInfinity,
  timeoutMs: timeLimit,
  timeout: timeLimit,
  budget: shape(BUDGET_OPTIONS),
  defaultModel: text,
  defaultModelAgent: text,
  contextWindowThreshold: fraction,
  autoApproveWaitMs: milliseconds,
  cancelGraceMs: milliseconds,
  telemetry: having(["startSpan"], "an object with a startSpan function"),
  snapshotMinLength: amount,
  maxUpdateBytes: countOrInfinity,
  output: aFunction,
  history: oneOf(["all", "latest"]),
  onProgress: aFunction,
};

/** The settings of a graph, among those of a run of it. */
export function settingsOf(options: GraphConfig): GraphSettings {
  return Object.freeze(Object.fromEntries(Object.entries(options).filter(([name]) => name in GRAPH_OPTIONS)));
}

/** Names that people may expect of `compile()`, and what to write instead. */
export const COMPILE_ADVICE: OptionAdvice = {
  services: ["give it to run()"],
  signal: ["give it to run()"],
  onEvent: ["give it to run()"],
  control: ["give it to run()"],
  runId: ["give it to run()"],
  state: ["give it to graph(): graph(State)"],
};

/** Settings of one run. */
export interface RunOptions<State extends BaseState = BaseState, Output = unknown> extends GraphConfig<State, Output> {
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
  /** The clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Chance, from 0 to 1. @default Math.random */
  readonly random?: () => number;
}

const named = having(["find", "names"], "an object with find(name) and names(), for example a NamedRegistry");

const SERVICE_OPTIONS: OptionTable<RunServices> = {
  workflows: aFunction,
  clients: aFunction,
  tools: named,
  agents: named,
  skills: named,
  commands: named,
  subagents: having(["spawn"], "an object with a spawn function"),
  shell: aFunction,
  workingDirectory: text,
  sessionDirectory: text,
  tasks: having(["update"], "an object with an update function"),
  sessionConfig,
};

/** The options of `run()` and `fork()`. */
export const RUN_OPTIONS: OptionTable<RunOptions> = {
  ...GRAPH_OPTIONS,
  runId: someText,
  signal: having(["addEventListener", "throwIfAborted"], "an AbortSignal"),
  // Nodes of one's own may need services of one's own.
  services: shape(SERVICE_OPTIONS, { isOpen: true }),
  control: having(["attach"], "a RunControl"),
  onEvent: aFunction,
  hasStateInEvents: yesOrNo,
  guard: having(["enter", "attach"], "what guards the code of nodes"),
  now: aFunction,
  random: aFunction,
};

/** Settings of a run that is resumed. */
export interface ResumeOptions<State extends BaseState = BaseState, Output = unknown>
  extends Omit<RunOptions<State, Output>, "runId"> {
  /** What is to be done to nodes before anything else: the way to skip the node that a run failed at. */
  readonly commands?: readonly NodeCommand[];
}

/** The options of `resume()`; those that the run was started with may be given again as they are. */
export const RESUME_OPTIONS: OptionTable<ResumeOptions & RunOptions> = {
  ...RUN_OPTIONS,
  commands: listOf(object, "a list of commands"),
};

/** Settings of a run that is watched. */
export interface StreamOptions<State extends BaseState = BaseState, Output = unknown>
  extends RunOptions<State, Output> {
  /** The types of event to yield. @default all */
  readonly events?: readonly RunEvent["type"][];
}

const EVENT_TYPES: Readonly<Record<RunEvent["type"], true>> = {
  "agent-session": true,
  "agent-text": true,
  "agent-thinking": true,
  answer: true,
  checkpoint: true,
  "command-end": true,
  "context-window": true,
  "debug-report": true,
  "graph-changed": true,
  log: true,
  "node-dropped": true,
  "node-end": true,
  "node-error": true,
  "node-sleep": true,
  "node-start": true,
  "permission-denied": true,
  request: true,
  "run-end": true,
  "run-start": true,
  tasks: true,
  "tool-end": true,
  "tool-start": true,
  usage: true,
  warning: true,
};

/** The options of `stream()`. */
export const STREAM_OPTIONS: OptionTable<StreamOptions> = {
  ...RUN_OPTIONS,
  events: listOf(oneOf(Object.keys(EVENT_TYPES)), "a list of types of event"),
};

/** Answers to open questions, by the id of the question. */
export type Answers = Readonly<Record<string, unknown>>;

/** Where to look for a run, and how to read it. */
export interface HistoryOptions extends Pick<GraphConfig, "stateVersion" | "migrateState"> {
  /** @default the graph's own */
  readonly checkpointer?: Checkpointer;
  /** Needed where nodes run workflows by name. */
  readonly services?: RunServices;
}

/** The options of `history()`, `stateAt()`, `latestState()`, `compact()` and `checkAnswers()`. */
export const HISTORY_OPTIONS: OptionTable<HistoryOptions> = {
  stateVersion: wholeNumber,
  migrateState: aFunction,
  checkpointer: saver,
  services: shape(SERVICE_OPTIONS, { isOpen: true }),
};

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

/** The first argument of `fork()` after the run. */
export const FORK_OPTIONS: OptionTable<ForkPoint> = {
  at: required(wholeNumber, "give it the sequence of a checkpoint"),
  update: object,
};

/** What is to change in the state of a run that nobody executes. */
export interface RunEdit<State extends BaseState = BaseState> {
  /** Fields to combine with the state by their reducers, as the update of a node. */
  readonly update?: Partial<State>;
  /** Fields whose values are replaced, whatever their reducers; before {@link update}. */
  readonly set?: Partial<State>;
}

/** The second argument of `edit()`. */
export const EDIT_FIELDS: OptionTable<RunEdit> = { update: object, set: object };

/** How to change a run. */
export interface EditOptions extends HistoryOptions {
  /** The clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** How a run, or this process's part in it, ended. */
export interface RunResult<State extends BaseState = BaseState, Output = unknown> {
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
  /** What a completed run has come to; a node that calls `ctx.finish(output)` answers for its type. */
  readonly output: Output | undefined;
  /** What went wrong beside the run, each thing once: an `onEvent` or `onProgress` that threw. */
  readonly warnings: readonly string[];
}
