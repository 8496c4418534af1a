import type { TelemetryPort } from "../../contracts/index.ts";
import { type OptionAdvice, type OptionTable, shape } from "../options/find-option-problems.ts";
import {
  aFunction,
  amount,
  countOrInfinity,
  fraction,
  having,
  insteadOf,
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

/**
 * Migrates a state to the current version's shape (E10). `fromVersion` is the version that wrote it, or 0. New fields have
 * their defaults; removed fields are present if the run wrote them, and are dropped afterwards. Must be pure.
 */
export type MigrateState = (
  fromVersion: number,
  state: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, unknown>>;

/** Settings of a graph, passed to `compile()`; a run can override each of them. */
export interface GraphConfig<State extends BaseState = BaseState, Output = unknown> extends GraphSettings {
  /** Migrates the state of a run that an older version started; required once `stateVersion` was raised. */
  readonly migrateState?: MigrateState;
  /** Another name of {@link timeoutMs}; give one of them. */
  readonly timeout?: number;
  /** Receives the run's spans, for OpenTelemetry or another tracer. They contain no prompt, path or code. @default none */
  readonly telemetry?: TelemetryPort;
  /** The output of a completed run, for its result and for people. Must be pure. @default the last node's output */
  output?(state: Readonly<State>): Output;
  /**
   * Called with the state of the run's own thread after each step; branches appear once they have joined. An exception
   * becomes a `warning`, and the run continues.
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
  timeout: insteadOf("timeoutMs", timeLimit),
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

/** Picks the graph's settings from the options of a run. */
export function settingsOf(options: GraphConfig): GraphSettings {
  const settings = Object.fromEntries(Object.entries(options).filter(([name]) => name in GRAPH_OPTIONS));
  const { budget } = options;
  // A copy, because the caller may still change its own object.
  return Object.freeze({ ...settings, ...(budget === undefined ? {} : { budget: Object.freeze({ ...budget }) }) });
}

/** Option names that people may expect in `compile()`, and what to write instead. */
export const COMPILE_ADVICE: OptionAdvice = {
  services: ["give it to run()"],
  signal: ["give it to run()"],
  onEvent: ["give it to run()"],
  control: ["give it to run()"],
  runId: ["give it to run()"],
  state: ["give it to graph(): graph(State)"],
};
