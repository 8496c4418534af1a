import { expect, test } from "bun:test";
import { StallWatch } from "./stall-watch.ts";

const TIMEOUT_MS = 10;

/** A watch that counts, and tells of its first time. */
function setUp() {
  const stalled = Promise.withResolvers<void>();
  const counted = { stalls: 0 };
  const watch = new StallWatch(TIMEOUT_MS, () => {
    counted.stalls++;
    stalled.resolve();
  });
  return { watch, counted, stalled: stalled.promise };
}

/** A time in which every watch would have called back that ran when it began. */
async function outlastWatches(): Promise<void> {
  await setUp().stalled;
}

test("calls back when nothing happened for a while", async () => {
  const { stalled, counted } = setUp();
  await stalled;
  expect(counted.stalls).toBe(1);
});

test("is silent until the last of several waits is over", async () => {
  const { watch, counted, stalled } = setUp();
  const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waits = [watch.suspendDuring(() => last.promise), watch.suspendDuring(() => first.promise)];
  first.resolve();
  await waits[1];
  watch.touch();
  await outlastWatches();
  expect(counted.stalls).toBe(0);
  last.resolve();
  await stalled;
  expect(counted.stalls).toBe(1);
});

test("stays silent once it was stopped, also when a wait ends behind that", async () => {
  const { watch, counted } = setUp();
  const person = Promise.withResolvers<void>();
  const wait = watch.suspendDuring(() => person.promise);
  watch.stop();
  person.resolve();
  await wait;
  watch.touch();
  await outlastWatches();
  expect(counted.stalls).toBe(0);
});
