import type { SetTimer } from "../../system/index.ts";

/** What timers go by. */
export interface RunClock {
  /** Milliseconds since 1970. Can be set to another time while a timer runs. */
  readonly now: () => number;
  /** Milliseconds since some moment. Only ever goes on, but stands still while a computer sleeps. */
  readonly elapsedMs: () => number;
  readonly setTimer: SetTimer;
}

/** How often a long wait is looked at again: the computer may have slept. */
const LOOK_AGAIN_MS = 60_000;

/** Timers of a run, by key. Each fires when its moment has come, or as much time has passed as was left when it was set. */
export class RunTimers {
  readonly #clock: RunClock;
  readonly #fire: (key: string) => void;
  /** What ends them. */
  readonly #stops = new Map<string, () => void>();

  constructor(clock: RunClock, fire: (key: string) => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Sets a timer for a moment, in milliseconds since 1970; the same key replaces an earlier one. */
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
