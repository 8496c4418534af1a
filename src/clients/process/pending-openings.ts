/**
 * What is being opened with a client, sessions for example. A `stop` of the client gives it up: whatever that breaks off on
 * the way, the stop is what is told.
 */
export class PendingOpenings {
  #stopping = new AbortController();
  /** By conversation, the last call that opens it. */
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs what opens something. `open` must not use what a `stop` has ended, nor start it anew: it looks at its signal before
   * each step that would, and before it returns.
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
   * Like `run`, but one after the other for one conversation: of two calls at once the second takes over from the first,
   * since for the agent they are one and the same.
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

  /** Gives up all that is being opened; what is opened later is not concerned. */
  stop(reason: unknown): void {
    const stopping = this.#stopping;
    this.#stopping = new AbortController();
    stopping.abort(reason);
  }
}
