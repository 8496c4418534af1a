/** A growing list whose entries can be awaited. */
export class AwaitableLog<T> {
  readonly #entries: T[] = [];
  #forgottenCount = 0;
  readonly #waiters = new Set<() => void>();
  #closeReason: Error | undefined;

  get entries(): readonly T[] {
    return this.#entries;
  }

  add(entry: T): void {
    this.#entries.push(entry);
    for (const check of [...this.#waiters]) check();
  }

  /** How many entries there were, the forgotten ones included. */
  get count(): number {
    return this.#forgottenCount + this.#entries.length;
  }

  /** Drops the entries so far; they can no longer be awaited. */
  forget(): void {
    this.#forgottenCount = this.count;
    this.#entries.length = 0;
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
          next = Math.max(next, this.#forgottenCount);
          for (; next < this.count; next++) {
            const entry = this.#entries[next - this.#forgottenCount] as T; // next is below the count
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

  /** Rejects all pending waits, and later ones without a match. */
  close(reason: Error): void {
    this.#closeReason = reason;
    for (const check of [...this.#waiters]) check();
  }
}
