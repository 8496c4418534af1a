import type { RunErrorInfo } from "../../contracts/index.ts";
import { listOf, type OptionAdvice, type OptionTable } from "../options/find-option-problems.ts";
import { aFunction, anything, countOrInfinity, oneOf, someText, strategy } from "../options/option-checks.ts";
import type { BaseState, ExactUpdate } from "../state/annotation.ts";
import type { JoinStrategy } from "./join-strategy.ts";
import type { MapPlace } from "./map-place.ts";

/** Combines the final states of branches; also receives the failures of others and the map around the fork. */
export type Merge<State extends BaseState, Update = unknown> = (
  results: ReadonlyMap<string, Readonly<State>>,
  state: Readonly<State>,
  failures: ReadonlyMap<string, RunErrorInfo>,
  place: MapPlace,
) => ExactUpdate<State, Update>;

/** Settings of `GraphBuilder.loop`. At least one of `until` and `maxIterations` is required. */
export interface LoopConfig<State extends BaseState> {
  /** Called before each iteration; the loop ends when it returns true. Must be pure. */
  readonly until?: (state: Readonly<State>, info: MapPlace & { readonly iteration: number }) => boolean;
  /** The maximum number of iterations. 0 is the same as the default. @default 1_000, and reaching it is a failure */
  readonly maxIterations?: number;
  /** What happens at `maxIterations` while `until` is still false. @default "continue" when you set maxIterations */
  readonly onMaxIterations?: "continue" | "fail";
  /** @default loop_1, loop_2, … */
  readonly id?: string;
}

/** Settings of `GraphBuilder.parallel`. */
export interface ParallelConfig<State extends BaseState, Update = unknown> {
  /**
   * `all`: every branch must succeed, the first failure cancels the rest. `race`: the first branch to end decides.
   * `any`: the first to succeed wins. `settled`: all end, failures are listed in `outputs[id]`.
   * @default "all"
   */
  readonly strategy?: JoinStrategy;
  /** Combines the branches' final states into one update, instead of the fields' reducers. Must be pure. */
  readonly merge?: Merge<State, Update>;
  /** Names of the branches, in their order. @default the id of each branch's first node */
  readonly names?: readonly string[];
  /** @default parallel_1, parallel_2, … */
  readonly id?: string;
}

/** Settings of `GraphBuilder.map`. */
export interface MapConfig<State extends BaseState, Update = unknown> {
  /** How many items may be in progress at the same time, within the run's `maxConcurrency`. @default all */
  readonly concurrency?: number;
  /** As in {@link ParallelConfig}. With `settled`, `outputs[id]` lists how each item ended. @default "all" */
  readonly strategy?: JoinStrategy;
  /** Combines the branches' final states, by index, into one update, instead of the fields' reducers. Must be pure. */
  readonly merge?: Merge<State, Update>;
  /** @default map_1, map_2, … */
  readonly id?: string;
}

/** Settings of steps that have only an id. */
export interface IdConfig {
  /** @default the kind of step and a number: if_1, goto_1, … */
  readonly id?: string;
}

export const ID_OPTIONS: OptionTable<IdConfig> = { id: someText };

export const LOOP_OPTIONS: OptionTable<LoopConfig<BaseState>> = {
  until: aFunction,
  // compile() checks the number, also for loops that belong to nodes.
  maxIterations: anything,
  onMaxIterations: oneOf(["continue", "fail"]),
  id: someText,
};

export const PARALLEL_OPTIONS: OptionTable<ParallelConfig<BaseState>> = {
  strategy,
  merge: aFunction,
  names: listOf(someText, "a list of names"),
  id: someText,
};

/** Option names of other engines or methods, with what to write instead. */
export const PARALLEL_ADVICE: OptionAdvice = {
  mergeStrategy: ['write strategy: "all", "race", "any" or "settled"', "strategy"],
};

export const MAP_OPTIONS: OptionTable<MapConfig<BaseState>> = {
  concurrency: countOrInfinity,
  strategy,
  merge: aFunction,
  id: someText,
};

export const MAP_ADVICE: OptionAdvice = {
  ...PARALLEL_ADVICE,
  maxConcurrency: ["write concurrency", "concurrency"],
};
