import { setTimeout as wait } from "node:timers/promises";
import { MAX_TIMER_MS } from "../../contracts/index.ts";
import type { RecoveryClock } from "./recovered-turn.ts";

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
