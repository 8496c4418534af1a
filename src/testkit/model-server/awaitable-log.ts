/** A list that grows and that can be waited on. */
export class AwaitableLog<T> {
  readonly #entries: T[] = [];
  readonly #waiters = new Set<() => void>();
  #closeReason: Error | undefined;

  get entries(): readonly T[] {
    return this.#entries;
  }

  add(entry: T): void {
    this.#entries.push(entry);
    for (const check of [...this.#waiters]) check();
  }

  /** Resolves with the first entry, past or future, that satisfies the predicate. */
  waitFor(predicate: (entry: T, index: number) => boolean, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      let next = 0;
      const settle = (action: () => void): void => {
        this.#waiters.delete(check);
        signal?.removeEventListener("abort", check);
        action();
      };
      const check = (): void => {
        try {
          for (; next < this.#entries.length; next++) {
            const entry = this.#entries[next] as T; // next is below the length
            if (predicate(entry, next)) return settle(() => resolve(entry));
          }
        } catch (error) {
          return settle(() => reject(error));
        }
        if (signal?.aborted) return settle(() => reject(signal.reason));
        if (this.#closeReason !== undefined) return settle(() => reject(this.#closeReason));
      };
      this.#waiters.add(check);
      signal?.addEventListener("abort", check);
      check();
    });
  }

  /** Rejects everyone who still waits, and everyone who will wait in vain. */
  close(reason: Error): void {
    this.#closeReason = reason;
    for (const check of [...this.#waiters]) check();
  }
}
