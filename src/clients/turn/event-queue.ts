/** A queue between the producer of events and the one loop that reads them. Drops nothing. */
export interface EventQueue<T> extends AsyncIterable<T> {
  /** Adds an event; ignored after `close`. */
  push(event: T): void;
  /** Lets the reader finish once it has read everything. */
  close(): void;
}

/** An open, empty queue for a single reader. */
export function createEventQueue<T>(): EventQueue<T> {
  // The reader consumes one batch while the next one arrives, because shifting a long array is slow.
  let batch: T[] = [];
  let position = 0;
  let arrived: T[] = [];
  let isClosed = false;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  const next = async (): Promise<IteratorResult<T, undefined>> => {
    while (position === batch.length) {
      [batch, arrived, position] = [arrived, [], 0];
      if (batch.length > 0) break;
      if (isClosed) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    // The cast is true: the index is within the batch.
    const value = batch[position] as T;
    position += 1;
    return { done: false, value };
  };
  return {
    push(event) {
      if (isClosed) return;
      arrived.push(event);
      notify();
    },
    close() {
      isClosed = true;
      notify();
    },
    // Not a generator, because that would await every event several times.
    [Symbol.asyncIterator]: () => ({ next }),
  };
}
