/** A number of places. Work waits for one in the order of its arrival. */
export class Places {
  #freeCount: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#freeCount = count;
  }

  /** Takes a place, waiting for one. */
  async take(): Promise<void> {
    if (this.#freeCount > 0) {
      this.#freeCount--;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Takes a place for work that is in progress already, even if there is none. */
  takeAnyway(): void {
    this.#freeCount--;
  }

  /** Returns a place. */
  free(): void {
    const next = this.#freeCount < 0 ? undefined : this.#waiting.shift();
    if (next === undefined) this.#freeCount++;
    else next();
  }
}
