/** Values that are produced and consumed at their own speed, in order. For one consumer. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;

  push(value: T): void {
    this.#values.push(value);
    this.#wake();
  }

  /** Says that nothing follows. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      while (this.#values.length > 0) yield this.#values.shift() as T; // there is one, by the condition
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
