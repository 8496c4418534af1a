/**
 * What a client is opening, for example sessions. The client's `stop` aborts it, and callers get the reason of the `stop`,
 * whatever error it causes.
 */
export class PendingOpenings {
  #stopping = new AbortController();
  /** By conversation, the last call that opens it. */
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs a function that opens something. `open` must not use or restart what a `stop` has ended: it checks its signal
   * before each step that would, and before it returns.
   * @throws what `open` throws, or the reason of a `stop`
   */
  async run<T>(open: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#stopping;
    try {
      return await open(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  /**
   * Like `run`, but serialized for each conversation: of two concurrent calls, the second takes over from the first, because
   * the agent cannot tell them apart.
   */
  async runInTurn<T>(conversation: string, open: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.run(async (signal) => {
      const begin = () => {
        signal.throwIfAborted();
        return open(signal);
      };
      const opening = (this.#last.get(conversation) ?? Promise.resolve()).then(begin, begin);
      this.#last.set(conversation, opening);
      try {
        return await opening;
      } finally {
        if (this.#last.get(conversation) === opening) this.#last.delete(conversation);
      }
    });
  }

  /** Aborts all pending openings; later ones are not affected. */
  stop(reason: unknown): void {
    const stopping = this.#stopping;
    this.#stopping = new AbortController();
    stopping.abort(reason);
  }
}
