import { setTimeout as sleep } from "node:timers/promises";

/** Settings of {@link waitUntil}. */
export interface WaitOptions {
  /** Give up after this long, in milliseconds. @default 60_000, for a busy machine, and less than a test may take */
  readonly timeoutMs?: number;
}

/** How often a state outside of this process is looked at, in milliseconds. */
const LOOK_INTERVAL_MS = 20;

/**
 * Waits for what tells nobody when it happens, such as the end of another's process.
 *
 * @param wrong what is the matter as long as it has not happened; a function is called when the time is over
 * @throws Error that says so when it has not happened in time
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
