import { setTimeout as sleep } from "node:timers/promises";

/** Settings of {@link waitUntil}. */
export interface WaitOptions {
  /** Give up after this long, in milliseconds. @default 60_000: enough for a busy machine, less than a test's timeout */
  readonly timeoutMs?: number;
}

/** Polling interval, in milliseconds. */
const LOOK_INTERVAL_MS = 20;

/**
 * Waits for a condition that has no event, such as the end of somebody else's process.
 *
 * @param wrong describes the problem while the condition is false; a function is called on timeout
 * @throws Error with that description on timeout
 */
export async function waitUntil(
  isTrue: () => boolean | Promise<boolean>,
  wrong: string | (() => string),
  { timeoutMs = 60_000 }: WaitOptions = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      throw new Error(`Waited ${timeoutMs} ms in vain: ${typeof wrong === "string" ? wrong : wrong()}.`);
    }
    await sleep(LOOK_INTERVAL_MS);
  }
}
