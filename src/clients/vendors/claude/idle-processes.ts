/** A session whose idle process may be ended. Its next turn starts another. */
export interface RestingSession {
  /** Ends the process unless a turn is in progress. */
  rest(): Promise<void>;
}

/**
 * Keeps the processes of the most recently used idle sessions and ends the others, because each takes about 200 MB.
 * Sessions with a turn in progress do not count.
 */
export class IdleProcesses {
  readonly #maxCount: number;
  /** The session that has been idle the longest comes first. */
  readonly #idle = new Set<RestingSession>();

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  /** Call when the session starts a turn or ends. */
  remove(session: RestingSession): void {
    this.#idle.delete(session);
  }

  /** Call when the session's turn has ended. */
  add(session: RestingSession): void {
    this.#idle.delete(session);
    this.#idle.add(session);
    for (const longest of [...this.#idle].slice(0, Math.max(0, this.#idle.size - this.#maxCount))) {
      this.#idle.delete(longest);
      void longest.rest();
    }
  }
}
