import type { SetTimer } from "../../system/index.ts";

interface PendingTimer {
  readonly at: number;
  readonly action: () => void;
}

/** A clock that stands still until it is told to go on to its next timer. */
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

  /** How far the clock has come. */
  get elapsedMs(): number {
    return this.#now - this.#startedAt;
  }

  /** Goes on to the next timer, the oldest of those at the same time; does nothing when there is none. */
  advance(): void {
    let next: PendingTimer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.action();
  }
}
