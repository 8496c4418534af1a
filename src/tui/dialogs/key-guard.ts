/** Keys within this time of a dialog's appearing were meant for what was there before, in milliseconds. */
const QUIET_MS = 300;

/** No typing holds a dialog longer than this, in milliseconds. */
const MAX_GUARD_MS = 2_000;

/**
 * Ignores the keys that a person typed before they saw a dialog: those within 300 ms of its appearing, and those that follow
 * an ignored one as quickly, for at most two seconds.
 */
export class KeyGuard {
  readonly #now: () => number;
  readonly #startedAt: number;
  #quietSince: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
    this.#quietSince = this.#startedAt;
  }

  /** Whether a key that is pressed now is an answer. */
  accepts(): boolean {
    const now = this.#now();
    if (now - this.#quietSince >= QUIET_MS || now - this.#startedAt >= MAX_GUARD_MS) {
      this.#quietSince = Number.NEGATIVE_INFINITY;
      return true;
    }
    this.#quietSince = now;
    return false;
  }
}
