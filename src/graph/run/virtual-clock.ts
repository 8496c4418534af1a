import { raceAbort } from "../../contracts/index.ts";
import type { SetTimer } from "../../system/index.ts";

interface PendingTimer {
  readonly at: number;
  readonly action: () => void;
}

/**
 * A clock that stands still until {@link advance} moves it to its next timer. A run with this `clock` advances it whenever
 * nothing else can happen, so its sleeps, retries and time limits take no time.
 *
 * ```ts
 * const clock = new VirtualClock(Date.parse("2026-01-01"));
 * await nightly.run({}, { clock });
 * console.log(clock.elapsedMs);
 * ```
 */
export class VirtualClock {
  readonly #startedAt: number;
  #now: number;
  #sleeperCount = 0;
  readonly #timers = new Set<PendingTimer>();
  /** Called after a timer is set, and when somebody begins to {@link sleep}. */
  onSet: (() => void) | undefined;
  /** Called when everything in a run {@link sleep}s without an end, and no timer is left: the run would hang. @default it hangs */
  onStuck: (() => void) | undefined;

  /** @param startedAt milliseconds since 1970 */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
    this.#now = startedAt;
  }

  readonly now = (): number => this.#now;

  readonly setTimer: SetTimer = (action, delayMs) => {
    const timer = { at: this.#now + delayMs, action };
    this.#timers.add(timer);
    this.onSet?.();
    return () => this.#timers.delete(timer);
  };

  /** Waits on this clock; with `Infinity` until the signal aborts. @throws the signal's reason when it is aborted */
  readonly sleep = async (durationMs: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    let stop = (): void => {};
    this.#sleeperCount++;
    const over = new Promise<void>((resolve) => {
      if (durationMs === Number.POSITIVE_INFINITY) this.onSet?.();
      else stop = this.setTimer(resolve, durationMs);
    });
    try {
      await raceAbort(over, signal);
    } finally {
      stop();
      this.#sleeperCount--;
    }
  };

  /** How many calls of {@link sleep} wait. */
  get sleeperCount(): number {
    return this.#sleeperCount;
  }

  get hasTimers(): boolean {
    return this.#timers.size > 0;
  }

  /** How far the clock has advanced. */
  get elapsedMs(): number {
    return this.#now - this.#startedAt;
  }

  /** Advances to the next timer and fires it; of several at the same time, the oldest. Does nothing without timers. */
  advance(): void {
    let next: PendingTimer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.action();
  }
}
