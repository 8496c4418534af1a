import { formatMs } from "../../errors/format-ms.ts";
import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { isMoment, type SleepSpec } from "../../model/sleep.ts";
import {
  aFunction,
  either,
  insteadOf,
  isObject,
  milliseconds,
  type OptionCheck,
  required,
  someText,
  text,
} from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";

type Computed<State extends BaseState, Value> =
  | Value
  | ((state: Readonly<State>, context: ExecutionContext<State>) => Value);

/** Settings of a {@link sleepNode}: `durationMs` or `until`. */
export interface SleepNodeConfig<State extends BaseState = BaseState> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** How long to sleep, in milliseconds. A function is called once, when the node starts. */
  readonly durationMs?: Computed<State, number>;
  /** When to wake: a `Date`, or milliseconds since 1970. A past time ends the node at once. */
  readonly until?: Computed<State, Date | number>;
}

const length: OptionCheck = {
  ...milliseconds,
  accepts: (value) => milliseconds.accepts(value) && Number.isFinite(value),
};

const moment: OptionCheck = {
  expected: "a Date, or milliseconds since 1970",
  accepts: (value) => isMoment(value instanceof Date ? value.getTime() : value),
  advise: (value) => (typeof value === "string" ? `write new Date(${JSON.stringify(value)})` : undefined),
};

const USE_DURATION = ["write durationMs, in milliseconds", "durationMs"] as const;

export const SLEEP_NODE: NodeFactory<SleepNodeConfig> = {
  name: "sleepNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    durationMs: either(length, aFunction),
    until: insteadOf("durationMs", either(moment, aFunction)),
  },
  advice: { duration: USE_DURATION, ms: USE_DURATION, delayMs: USE_DURATION, seconds: USE_DURATION },
};

/**
 * Sleeps for a while, or until a given time. The wake-up time is journaled: a process that resumes the run waits for the
 * rest, or continues at once if that time has passed.
 *
 * ```ts
 * sleepNode<State>({ id: "cool-down", durationMs: 60_000 });
 * sleepNode<State>({ id: "launch", until: (state) => new Date(state.launchDate) });
 * ```
 */
export function sleepNode<State extends BaseState = BaseState>(config: SleepNodeConfig<State>): NodeDefinition<State> {
  return defineNode(SLEEP_NODE, config, (checked: SleepNodeConfig<State>) => ({
    ...makeSleepNode(checked),
    ...given({ problems: findProblems(config) }),
  }));
}

function makeSleepNode<State extends BaseState>(config: SleepNodeConfig<State>): NodeDefinition<State> {
  const { id, name, description, durationMs = 0, until } = config;
  return {
    id,
    type: "sleep",
    ...THROUGH_SERVICES,
    ...given({ name, description, remark: describeSleep(config) }),
    execute(context) {
      const compute = <Value>(value: Computed<State, Value>): Value =>
        // The cast is true: no value is a function itself.
        typeof value === "function" ? (value as (...given: unknown[]) => Value)(context.state, context) : value;
      const sleep: SleepSpec =
        until === undefined ? { durationMs: compute(durationMs) } : { until: toMilliseconds(compute(until)) };
      return { sleep };
    },
  };
}

/** An invalid time is returned as it is: the check of computed values reports it. */
function toMilliseconds(moment: Date | number): number {
  return moment instanceof Date ? moment.getTime() : moment;
}

/** The text for diagrams; `undefined` if the time is known only when the node starts. */
function describeSleep<State extends BaseState>({ durationMs, until }: SleepNodeConfig<State>): string | undefined {
  if (typeof durationMs === "number") return `for ${formatMs(durationMs)}`;
  return until === undefined || typeof until === "function" ? undefined : `until ${new Date(until).toISOString()}`;
}

/** The problem of a node without a time. */
function findProblems(config: object): readonly string[] | undefined {
  if (!isObject(config)) return undefined;
  const { durationMs, until } = config as SleepNodeConfig;
  // An unknown option may be a misspelling of one of them.
  const isUnknown = Object.keys(config).some((name) => !Object.hasOwn(SLEEP_NODE.options, name));
  if (durationMs !== undefined || until !== undefined || isUnknown) return undefined;
  return ["has neither durationMs nor until; say how long it is to sleep, for example durationMs: 60_000"];
}
