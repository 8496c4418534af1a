import { MAX_TIMER_MS } from "../../contracts/index.ts";

/** Calls back once when nothing happened for a while. */
export class StallWatch {
  #timer: NodeJS.Timeout | undefined;
  /** How many waits are under way. */
  #waitCount = 0;
  #isStopped = false;

  constructor(
    readonly timeoutMs: number,
    readonly onStall: () => void,
  ) {
    this.touch();
  }

  /** Something happened. */
  touch(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#waitCount > 0) return;
    this.#timer = setTimeout(this.onStall, Math.min(this.timeoutMs, MAX_TIMER_MS));
  }

  /** Runs work whose silence is fine, such as waiting for a person. Several can be under way at once. */
  async suspendDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#waitCount++;
    clearTimeout(this.#timer);
    try {
      return await work();
    } finally {
      this.#waitCount--;
      this.touch();
    }
  }

  /** From now on it is silent for good. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
