import { AtomicError } from "../../contracts/index.ts";
import { isObject } from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";

/** How long a node sleeps: a duration in milliseconds, or a time in milliseconds since 1970. */
export type SleepSpec = { readonly durationMs: number } | { readonly until: number };

/** The sleep of a node. */
export interface Sleep {
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
  /** The requested duration; absent when the node named a time. */
  readonly durationMs?: number;
  /** When the node started, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** A node requested a sleep with an invalid duration or time. */
export class InvalidSleepError extends AtomicError {
  constructor(
    readonly nodeId: string,
    problem: string,
  ) {
    super("SLEEP_INVALID", `The node "${nodeId}" cannot sleep: ${problem}. Correct what it computes.`);
  }
}

/** The latest time that a `Date` can represent. */
const LATEST_MS = 8.64e15;

/** Whether a `Date` can represent this number of milliseconds since 1970. */
export function isMoment(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= LATEST_MS;
}

/** The end of a sleep that starts now. @throws InvalidSleepError */
export function planSleep(nodeId: string, spec: SleepSpec, now: number): Pick<Sleep, "until" | "durationMs"> {
  // Values that a workflow computes may have other types at run time.
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

/** How a new process resumes a sleep: a clock that was set back must not lengthen it. */
export function resumeSleep(sleep: Sleep, now: number): Sleep {
  return sleep.durationMs === undefined ? sleep : { ...sleep, until: Math.min(sleep.until, now + sleep.durationMs) };
}
