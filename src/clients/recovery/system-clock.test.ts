import { expect, test } from "bun:test";
import { SYSTEM_CLOCK } from "./system-clock.ts";

test("a sleep takes its time, and ends with the reason of an abort, however long it was to be", async () => {
  const controller = new AbortController();
  const startedAt = performance.now();
  const endless = SYSTEM_CLOCK.sleep(Number.MAX_SAFE_INTEGER, controller.signal).catch((error: unknown) => error);
  await SYSTEM_CLOCK.sleep(20, controller.signal);
  expect(performance.now() - startedAt).toBeGreaterThan(15);
  expect(await Promise.race([endless, "still asleep"])).toBe("still asleep");
  controller.abort("enough");
  expect(await endless).toBe("enough");
  expect(await SYSTEM_CLOCK.sleep(1_000, controller.signal).catch((error: unknown) => error)).toBe("enough");
});
