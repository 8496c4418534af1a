import { MAX_TIMER_MS } from "../../contracts/index.ts";

/** Calls back once when nothing happened for a while. */
export class StallWatch {
  #timer: NodeJS.Timeout | undefined;
  #isSuspended = false;

  constructor(
    readonly timeoutMs: number,
    readonly onStall: () => void,
  ) {
    this.touch();
  }

  /** Something happened. */
  touch(): void {
    clearTimeout(this.#timer);
    if (!this.#isSuspended) this.#timer = setTimeout(this.onStall, Math.min(this.timeoutMs, MAX_TIMER_MS));
  }

  /** Runs work whose silence is fine, such as waiting for a person. */
  async suspendDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#isSuspended = true;
    clearTimeout(this.#timer);
    try {
      return await work();
    } finally {
      this.#isSuspended = false;
      this.touch();
    }
  }

  stop(): void {
    this.#isSuspended = true;
    clearTimeout(this.#timer);
  }
}
