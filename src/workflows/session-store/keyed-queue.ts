/** Runs work of the same key one after the other, and work of different keys side by side. */
export interface KeyedQueue {
  /** Starts when all earlier work of the key has ended, well or badly, and gives what the work gives. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Makes a queue that remembers nothing of a key once its work is done. */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const current = before.then(work, work);
      last.set(key, current);
      try {
        return await current;
      } finally {
        if (last.get(key) === current) last.delete(key);
      }
    },
  };
}
