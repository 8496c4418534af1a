import type { HumanRequest, RunErrorInfo, RunEvent, RunStatus, Usage, UsageByAgent } from "../../contracts/index.ts";
import { sessionConfig } from "../model/agent-settings.ts";
import type { Checkpointer } from "../model/checkpointer.ts";
import type { CodeGuard } from "../model/code-guard.ts";
import type { RunServices } from "../model/execution-context.ts";
import { GRAPH_OPTIONS, type GraphConfig } from "../model/graph-config.ts";
import type { NodeCommand } from "../model/steering-command.ts";
import { listOf, type OptionTable, shape } from "../options/find-option-problems.ts";
import {
  aFunction,
  having,
  object,
  oneOf,
  required,
  saver,
  someText,
  text,
  wholeNumber,
  yesOrNo,
} from "../options/option-checks.ts";
import type { BaseState } from "../state/annotation.ts";
import type { RunControl } from "../steering/run-control.ts";
import type { VirtualClock } from "./virtual-clock.ts";

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
  /** Receives every event. If it throws, the error becomes one of the result's `warnings` and the run continues. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Whether `node-end` events contain the whole state after the node, in addition to its update. @default false */
  readonly hasStateInEvents?: boolean;
  /**
   * Receives the answers of other processes first. Returns true for an answer that is not for a question of the workflow, but
   * for a permission request, for example. An error rejects the answer.
   */
  readonly takeAnswer?: (request: string, value: unknown) => boolean;
  /** The clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** A clock that advances when nothing else can happen, for tests: no sleep, retry or time limit takes time. Replaces {@link now}. */
  readonly clock?: VirtualClock;
  /** Random numbers from 0 to 1. @default Math.random */
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
  redactor: having(["text", "value"], "a redactor, for example of createRedactor()"),
  worktrees: having(["open", "commit", "merge", "close"], "an object with open, commit, merge and close functions"),
  tasks: having(["update"], "an object with an update function"),
  scripts: having(["rehearse", "effectOf", "findTaken", "keep"], "an object with the functions of ScriptServices"),
  git: aFunction,
  isProjectTrusted: aFunction,
  scriptLimits: object,
  sessionConfig,
};

/** The options of `run()` and `fork()`. */
export const RUN_OPTIONS: OptionTable<RunOptions> = {
  ...GRAPH_OPTIONS,
  runId: someText,
  signal: having(["addEventListener", "throwIfAborted"], "an AbortSignal"),
  // Custom nodes may need custom services.
  services: shape(SERVICE_OPTIONS, { isOpen: true }),
  control: having(["attach"], "a RunControl"),
  onEvent: aFunction,
  hasStateInEvents: yesOrNo,
  takeAnswer: aFunction,
  guard: having(["enter", "attach"], "what guards the code of nodes"),
  now: aFunction,
  clock: having(["advance", "setTimer"], "a VirtualClock"),
  random: aFunction,
};

/** Settings of a resumed run. */
export interface ResumeOptions<State extends BaseState = BaseState, Output = unknown>
  extends Omit<RunOptions<State, Output>, "runId"> {
  /** Applied to nodes before anything else, for example to skip the node that failed the run. */
  readonly commands?: readonly NodeCommand[];
}

const COMMAND: OptionTable<{ readonly type: unknown; readonly node: unknown; readonly update?: unknown }> = {
  type: required(oneOf(["cancel-node", "skip-node", "retry-node"])),
  node: required(someText),
  update: object,
};

/** The options of `resume()`. It accepts all options of `run()`: callers can pass the same ones. */
export const RESUME_OPTIONS: OptionTable<ResumeOptions & RunOptions> = {
  ...RUN_OPTIONS,
  commands: listOf(shape(COMMAND), "a list of commands"),
};

/** Settings of a streamed run. */
export interface StreamOptions<State extends BaseState = BaseState, Output = unknown>
  extends RunOptions<State, Output> {
  /** The types of event to yield. @default all */
  readonly events?: readonly RunEvent["type"][];
}

const EVENT_TYPES: Readonly<Record<RunEvent["type"], true>> = {
  agent: true,
  "agent-prompt": true,
  "agent-session": true,
  answer: true,
  checkpoint: true,
  "command-end": true,
  "command-start": true,
  "context-window": true,
  "debug-report": true,
  "graph-changed": true,
  log: true,
  "node-dropped": true,
  "node-end": true,
  "node-error": true,
  "node-sleep": true,
  "node-start": true,
  request: true,
  "run-end": true,
  "run-start": true,
  tasks: true,
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

/** Where to find a run, and how to read it. */
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

/** Where a new run forks from an old one. */
export interface ForkPoint<State extends BaseState = BaseState> {
  /** The `sequence` of a checkpoint. */
  readonly at: number;
  /**
   * Fields to change first. Their reducers combine them with the state of the branch or subgraph that the checkpoint
   * belongs to.
   */
  readonly update?: Partial<State>;
  /**
   * Applied to each text in the states, also of branches and subgraphs, before {@link update}: for paths in the folder of the
   * old run.
   */
  readonly replaceText?: (text: string) => string;
}

/** What `prepareFork()` has written. */
export interface PreparedFork {
  /** The states with which the new run begins: of the run, then of its branches and subgraphs. */
  readonly states: readonly Readonly<Record<string, unknown>>[];
}

/** The first argument of `fork()` after the run. */
export const FORK_OPTIONS: OptionTable<ForkPoint> = {
  at: required(wholeNumber, "give it the sequence of a checkpoint"),
  update: object,
  replaceText: aFunction,
};

/** Changes to the state of a run that no process executes. */
export interface RunEdit<State extends BaseState = BaseState> {
  /** Fields that their reducers combine with the state, like the update of a node. */
  readonly update?: Partial<State>;
  /** Fields to replace, whatever their reducers. Applied before {@link update}. */
  readonly set?: Partial<State>;
}

/** The second argument of `edit()`. */
export const EDIT_FIELDS: OptionTable<RunEdit> = { update: object, set: object };

/** Settings of an edit: the third argument of `edit()`. */
export interface EditOptions extends HistoryOptions {
  /** The clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** The options of `edit()`. */
export const EDIT_OPTIONS: OptionTable<EditOptions> = { ...HISTORY_OPTIONS, now: aFunction };

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
  /**
   * The parts of the agents in it, such as `claude`. Absent when no agent is known. The total can be more: the usage of runs
   * that an older version began has no agents.
   */
  readonly usageByAgent?: UsageByAgent;
  /** The output of a completed run. Its type is not checked for a node that calls `ctx.finish(output)`. */
  readonly output: Output | undefined;
  /** Problems that did not fail the run, each once: an `onEvent` or `onProgress` that threw. */
  readonly warnings: readonly string[];
}
