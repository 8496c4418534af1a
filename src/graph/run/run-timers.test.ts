import { expect, test } from "bun:test";
import { RunTimers } from "./run-timers.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** Two clocks that the test advances. */
function createClocks() {
  const fired: string[] = [];
  const waits: number[] = [];
  let [now, elapsed] = [YEAR_MS, 0];
  let next: (() => void) | undefined;
  const setTimer = (action: () => void, delayMs: number) => {
    waits.push(delayMs);
    next = action;
    return () => {
      if (next === action) next = undefined;
    };
  };
  const timers = new RunTimers({ now: () => now, elapsedMs: () => elapsed, setTimer }, (key) => fired.push(key));
  return {
    ...{ timers, fired, waits },
    /** Advances the clocks, and fires the pending timer. */
    pass(ms: { readonly now: number; readonly elapsed: number }) {
      now += ms.now;
      elapsed += ms.elapsed;
      next?.();
    },
  };
}

test("a timer fires in time although the clock is set back by a year", () => {
  const { timers, fired, pass } = createClocks();
  timers.start("a", YEAR_MS + 2_000);
  pass({ now: 1_000 - YEAR_MS, elapsed: 1_000 });
  expect(fired).toEqual([]);
  pass({ now: 1_000, elapsed: 1_000 });
  expect(fired).toEqual(["a"]);
});

test("a long timer fires in time although the computer has slept, and checks the clock every minute", () => {
  const { timers, fired, waits, pass } = createClocks();
  timers.start("a", YEAR_MS + HOUR_MS);
  pass({ now: 60_000, elapsed: 60_000 });
  pass({ now: HOUR_MS, elapsed: 10 });
  expect({ fired, waits }).toEqual({ fired: ["a"], waits: [60_000, 60_000] });
});

test("an early timer waits again, the same key replaces an earlier timer, and all can be stopped", () => {
  const { timers, fired, waits, pass } = createClocks();
  timers.start("a", YEAR_MS + 10);
  timers.start("a", YEAR_MS + 20);
  pass({ now: 15, elapsed: 15 });
  expect({ fired, waits }).toEqual({ fired: [], waits: [10, 20, 5] });
  timers.stopAll();
  pass({ now: 15, elapsed: 15 });
  expect(fired).toEqual([]);
});
