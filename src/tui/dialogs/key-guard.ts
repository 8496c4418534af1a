/** Keys within this time of a dialog's appearing were meant for what was there before, in milliseconds. */
const QUIET_MS = 300;

/** Who was typing when the dialog appeared answers only after a pause of this length, in milliseconds. */
const PAUSE_MS = 800;

/**
 * Ignores the keys that a person typed before they saw a dialog: those within 300 ms of its appearing, and then all until the
 * keyboard has been quiet for 800 ms, however long that takes.
 */
export class KeyGuard {
  readonly #now: () => number;
  #quietSince: number;
  #neededMs = QUIET_MS;

  constructor(now: () => number) {
    this.#now = now;
    this.#quietSince = now();
  }

  /** Whether a key that is pressed now is an answer. */
  accepts(): boolean {
    const now = this.#now();
    if (now - this.#quietSince >= this.#neededMs) {
      this.#neededMs = 0;
      return true;
    }
    this.#quietSince = now;
    this.#neededMs = PAUSE_MS;
    return false;
  }
}
