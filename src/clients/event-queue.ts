/** A queue between who makes events and the one loop that reads them. Nothing is dropped. */
export interface EventQueue<T> extends AsyncIterable<T> {
  /** Adds an event; ignored after `close`. */
  push(event: T): void;
  /** Lets the reader finish once it has read everything. */
  close(): void;
}

/** An open, empty queue for a single reader. */
export function createEventQueue<T>(): EventQueue<T> {
  const events: T[] = [];
  let isClosed = false;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push(event) {
      if (isClosed) return;
      events.push(event);
      notify();
    },
    close() {
      isClosed = true;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        // One batch at a time, because shifting a long array is slow.
        yield* events.splice(0);
        if (events.length > 0) continue;
        if (isClosed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
