import type { SetTimer } from "../../system/index.ts";

interface PendingTimer {
  readonly at: number;
  readonly action: () => void;
}

/** A clock that stands still until {@link advance} moves it to its next timer. */
export class VirtualClock {
  readonly #startedAt: number;
  #now: number;
  readonly #timers = new Set<PendingTimer>();
  /** Called after a timer is set. */
  onSet: (() => void) | undefined;

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
