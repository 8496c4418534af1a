import { type OptionAdvice, type OptionTable, shape } from "../options/find-option-problems.ts";
import {
  aFunction,
  amount,
  countOrInfinity,
  fraction,
  having,
  milliseconds,
  oneOf,
  saver,
  text,
  timeLimit,
  wholeNumber,
  yesOrNo,
} from "../options/option-checks.ts";
import type { BaseState } from "../state/annotation.ts";
import type { GraphSettings } from "./graph-settings.ts";
import type { RunBudget } from "./spending.ts";
import type { TelemetryPort } from "./telemetry-port.ts";

/**
 * Brings a state to the shape of today's version (E10). `fromVersion` is the one that wrote it, 0 when it had none. Fields
 * that were added since are there with their defaults; fields that were removed are there when the run has written them,
 * and dropped afterwards. Must be pure.
 */
export type MigrateState = (
  fromVersion: number,
  state: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, unknown>>;

/** Settings of a graph, given to `compile()`; each can be overridden for a run. */
export interface GraphConfig<State extends BaseState = BaseState, Output = unknown> extends GraphSettings {
  /** Brings the state of a run that an older version began to today's shape; required once `stateVersion` was raised. */
  readonly migrateState?: MigrateState;
  /** Another name of {@link timeoutMs}. */
  readonly timeout?: number;
  /** Where spans of the run go, for OpenTelemetry and the like. They hold no prompt, path or code. @default nowhere */
  readonly telemetry?: TelemetryPort;
  /** What a completed run has come to, for its result and for people. Must be pure. @default what the last node left */
  output?(state: Readonly<State>): Output;
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
  const settings = Object.fromEntries(Object.entries(options).filter(([name]) => name in GRAPH_OPTIONS));
  const { budget } = options;
  // A copy: the caller's own object stays free to be changed.
  return Object.freeze({ ...settings, ...(budget === undefined ? {} : { budget: Object.freeze({ ...budget }) }) });
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
