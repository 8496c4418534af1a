import { expect, test } from "bun:test";
import { NodeTimer, pauseAll, startTimeLimit } from "./node-timer.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A timer of 100 ms on a clock that the test advances; `fired` lists when it fired. */
function createTimer() {
  const clock = new VirtualClock(0);
  const fired: number[] = [];
  const timer = new NodeTimer({
    clock: { elapsedMs: clock.now, setTimer: clock.setTimer },
    limitMs: 100,
    onTimeout: () => fired.push(clock.now()),
  });
  const wait = (ms: number): void => {
    clock.setTimer(() => undefined, ms);
    clock.advance();
  };
  return { clock, fired, timer, wait };
}

test("fires once, at its limit", () => {
  const { clock, fired } = createTimer();
  clock.advance();
  expect({ fired, hasTimers: clock.hasTimers }).toEqual({ fired: [100], hasTimers: false });
});

test("continues after a pause with the time that was left", () => {
  const { clock, fired, timer, wait } = createTimer();
  wait(70);
  const resume = timer.pause();
  wait(1_000);
  resume();
  clock.advance();
  expect(fired).toEqual([1_100]);
});

test("continues only when the last of several pauses has ended, each of which ends once", () => {
  const { clock, fired, timer } = createTimer();
  const resumes = [timer.pause(), timer.pause()];
  resumes[0]?.();
  resumes[0]?.();
  expect(clock.hasTimers).toBe(false);
  resumes[1]?.();
  clock.advance();
  expect(fired).toEqual([100]);
});

test("does not start again when a pause ends after it was stopped", () => {
  const { clock, timer } = createTimer();
  const resume = timer.pause();
  timer.stop();
  resume();
  expect(clock.hasTimers).toBe(false);
});

test("several time limits pause and continue together", () => {
  const { fired, timer, wait } = createTimer();
  const unlimited = startTimeLimit(undefined, () => fired.push(Number.NaN));
  wait(70);
  const resume = pauseAll([() => timer.pause(), undefined, () => unlimited.pause()]);
  wait(1_000);
  expect(fired).toEqual([]);
  resume();
  wait(30);
  expect(fired).toEqual([1_100]);
});

test("a time limit in real time fires once", async () => {
  const fired = Promise.withResolvers<number>();
  startTimeLimit(1, fired.resolve);
  expect(await fired.promise).toBe(1);
});
