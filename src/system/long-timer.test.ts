import { expect, test } from "bun:test";
import { MAX_TIMER_MS, type SetTimer, setLongTimer, sleep } from "./long-timer.ts";

/** Timers that the test fires. */
function createTimers() {
  const waits: number[] = [];
  let next: (() => void) | undefined;
  const setTimer: SetTimer = (action, delayMs) => {
    waits.push(delayMs);
    next = action;
    return () => {
      next = undefined;
    };
  };
  return {
    waits,
    setTimer,
    fire(): void {
      const action = next;
      next = undefined;
      action?.();
    },
  };
}

test.each([
  { delayMs: 0, waits: [0] },
  { delayMs: MAX_TIMER_MS, waits: [MAX_TIMER_MS] },
  { delayMs: MAX_TIMER_MS + 1, waits: [MAX_TIMER_MS, 1] },
  { delayMs: 2.5 * MAX_TIMER_MS, waits: [MAX_TIMER_MS, MAX_TIMER_MS, 0.5 * MAX_TIMER_MS] },
])("a timer of $delayMs ms acts once, when all of its parts are over", ({ delayMs, waits }) => {
  const timers = createTimers();
  const firedAfter: number[] = [];
  setLongTimer(() => firedAfter.push(timers.waits.length), delayMs, timers.setTimer);
  for (let count = 0; count < 5; count++) timers.fire();
  expect({ waits: timers.waits, firedAfter }).toEqual({ waits: [...waits], firedAfter: [waits.length] });
});

test("a timer without an end never acts", () => {
  const timers = createTimers();
  let isFired = false;
  const act = (): void => {
    isFired = true;
  };
  setLongTimer(act, Number.POSITIVE_INFINITY, timers.setTimer);
  for (let count = 0; count < 100; count++) timers.fire();
  expect([isFired, new Set(timers.waits)]).toEqual([false, new Set([MAX_TIMER_MS])]);
});

test("a timer can be stopped in each of its parts", () => {
  for (const part of [0, 1, 2]) {
    const timers = createTimers();
    let isFired = false;
    const act = (): void => {
      isFired = true;
    };
    const stop = setLongTimer(act, 2.5 * MAX_TIMER_MS, timers.setTimer);
    for (let count = 0; count < part; count++) timers.fire();
    stop();
    timers.fire();
    expect([isFired, timers.waits.length]).toEqual([false, part + 1]);
  }
});

test("a sleep lasts its time, and rejects with the reason of an abort, however long it is", async () => {
  const controller = new AbortController();
  const endless = sleep(Number.MAX_SAFE_INTEGER, controller.signal).catch((error: unknown) => error);
  await sleep(20, controller.signal);
  expect(await Promise.race([endless, "still asleep"])).toBe("still asleep");
  controller.abort("enough");
  expect(await endless).toBe("enough");
  expect(await sleep(1_000, controller.signal).catch((error: unknown) => error)).toBe("enough");
});
