import { setTimeout as wait } from "node:timers/promises";
import type { RecoveryClock } from "./recovered-turn.ts";

/** The longest time a timer can wait; with more it would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Real time and real chance. */
export const SYSTEM_CLOCK: RecoveryClock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (durationMs, signal) => {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= MAX_TIMER_MS) {
      await wait(Math.min(leftMs, MAX_TIMER_MS), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  },
};
