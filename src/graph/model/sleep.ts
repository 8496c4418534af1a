import { AtomicError } from "../../contracts/index.ts";
import { isObject } from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";

/** How long a node rests before it is done: for so many milliseconds, or until a moment in milliseconds since 1970. */
export type SleepSpec = { readonly durationMs: number } | { readonly until: number };

/** A node that rests. */
export interface Sleep {
  /** When it is done, in milliseconds since 1970. */
  readonly until: number;
  /** How long it was to rest; absent where the moment was given. */
  readonly durationMs?: number;
  /** When the node began, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** A node was to rest for something that is no length of time, or until something that is no moment. */
export class InvalidSleepError extends AtomicError {
  constructor(
    readonly nodeId: string,
    problem: string,
  ) {
    super("SLEEP_INVALID", `The node "${nodeId}" cannot sleep: ${problem}. Correct what it computes.`);
  }
}

/** The last moment that a `Date` can name. */
const LATEST_MS = 8.64e15;

/** Whether this many milliseconds since 1970 are a moment that a `Date` can name. */
export function isMoment(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= LATEST_MS;
}

/** When a node is done that rests from now on. @throws InvalidSleepError */
export function planSleep(nodeId: string, spec: SleepSpec, now: number): Pick<Sleep, "until" | "durationMs"> {
  // What a workflow computes has its type on paper only.
  if (!isObject(spec)) {
    throw new InvalidSleepError(
      nodeId,
      `its "sleep" is ${showValue(spec)}; it must be an object with durationMs or until, both in milliseconds`,
    );
  }
  if ("until" in spec) {
    const { until } = spec;
    if (isMoment(until)) return { until };
    throw new InvalidSleepError(
      nodeId,
      `its "until" is ${showValue(until)}; it must be a Date, or milliseconds since 1970`,
    );
  }
  const { durationMs } = spec;
  if (typeof durationMs === "number" && durationMs >= 0 && now + durationMs <= LATEST_MS)
    return { until: now + durationMs, durationMs };
  throw new InvalidSleepError(
    nodeId,
    `its "durationMs" is ${showValue(durationMs)}; it must be a number of milliseconds from 0`,
  );
}

/** How a new process goes on with a rest: a clock that was set back makes none longer. */
export function resumeSleep(sleep: Sleep, now: number): Sleep {
  return sleep.durationMs === undefined ? sleep : { ...sleep, until: Math.min(sleep.until, now + sleep.durationMs) };
}
