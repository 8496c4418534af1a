import { expect, test } from "bun:test";
import { VirtualClock } from "./virtual-clock.ts";

test("the clock stands still and advances from timer to timer, of two at the same time to the older one first", () => {
  const clock = new VirtualClock(1_000);
  const rung: string[] = [];
  const ring = (name: string) => () => rung.push(`${name} at ${clock.now()}`);
  clock.setTimer(ring("late"), 500);
  clock.setTimer(ring("early"), 200);
  const stop = clock.setTimer(ring("stopped"), 300);
  clock.setTimer(ring("second late"), 500);
  stop();
  expect([clock.now(), clock.elapsedMs, clock.hasTimers, rung]).toEqual([1_000, 0, true, []]);
  clock.advance();
  clock.setTimer(ring("overdue"), -100);
  while (clock.hasTimers) clock.advance();
  clock.advance();
  expect(rung).toEqual(["early at 1200", "overdue at 1200", "late at 1500", "second late at 1500"]);
  expect([clock.now(), clock.elapsedMs]).toEqual([1_500, 500]);
});
