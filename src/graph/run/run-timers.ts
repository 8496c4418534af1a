import type { SetTimer } from "../../system/index.ts";

/** The clocks that timers use. */
export interface RunClock {
  /** Milliseconds since 1970. Somebody may set this clock while a timer runs. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. It stands still while the computer sleeps. */
  readonly elapsedMs: () => number;
  readonly setTimer: SetTimer;
}

/** How often a long wait checks the clocks again: the computer may have slept. */
const LOOK_AGAIN_MS = 60_000;

/** A run's timers, by key. Each fires at its time of day, or when the time that was left when it was set has elapsed. */
export class RunTimers {
  readonly #clock: RunClock;
  readonly #fire: (key: string) => void;
  /** Cancels each timer. */
  readonly #stops = new Map<string, () => void>();

  constructor(clock: RunClock, fire: (key: string) => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Sets a timer. The same key replaces an earlier one. @param at in milliseconds since 1970 */
  start(key: string, at: number): void {
    const { now, elapsedMs } = this.#clock;
    this.#wait(key, at, elapsedMs() + Math.max(0, at - now()));
  }

  stopAll(): void {
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }

  #wait(key: string, at: number, latestElapsedMs: number): void {
    this.#stops.get(key)?.();
    const { now, elapsedMs, setTimer } = this.#clock;
    const leftMs = Math.max(0, Math.min(at - now(), latestElapsedMs - elapsedMs()));
    const look = (): void => {
      if (now() < at && elapsedMs() < latestElapsedMs) return this.#wait(key, at, latestElapsedMs);
      this.#stops.delete(key);
      this.#fire(key);
    };
    this.#stops.set(key, setTimer(look, Math.min(leftMs, LOOK_AGAIN_MS)));
  }
}
