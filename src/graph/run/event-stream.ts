import { withResolvers } from "../../contracts/index.ts";

/** How many unread events there may be before the writer has to wait. */
const HIGH_WATER_MARK = 1_024;

/** A queue from one writer to one reader, with backpressure. */
export class EventStream<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #index = 0;
  #isClosed = false;
  #wakeReader: (() => void) | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  /** Adds an item, unless the stream is closed or its reader left. */
  push(item: T): void {
    if (this.#isClosed) return;
    this.#items.push(item);
    this.#wake();
  }

  /** Ends the stream after the items that are already queued. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Resolves when the reader has caught up; `undefined` when there is nothing to wait for. */
  whenDrained(): Promise<void> | undefined {
    if (this.#items.length - this.#index < HIGH_WATER_MARK) return undefined;
    this.#drained ??= withResolvers();
    return this.#drained.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const item = this.#items[this.#index];
        if (item !== undefined) {
          this.#index++;
          yield item;
          continue;
        }
        this.#items = [];
        this.#index = 0;
        this.#release();
        if (this.#isClosed) return;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
    } finally {
      // The reader left: the writer must not wait for it.
      this.#items = [];
      this.#index = 0;
      this.#isClosed = true;
      this.#release();
    }
  }

  #wake(): void {
    const wake = this.#wakeReader;
    this.#wakeReader = undefined;
    wake?.();
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
