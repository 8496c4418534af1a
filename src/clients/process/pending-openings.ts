/**
 * What is being opened with a client, sessions for example. A `stop` of the client gives it up: whatever that breaks off on
 * the way, the stop is what is told.
 */
export class PendingOpenings {
  #stopping = new AbortController();

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

  /** Gives up all that is being opened; what is opened later is not concerned. */
  stop(reason: unknown): void {
    const stopping = this.#stopping;
    this.#stopping = new AbortController();
    stopping.abort(reason);
  }
}
