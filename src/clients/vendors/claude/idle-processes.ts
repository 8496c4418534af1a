/** A session with a process that may be ended: its next turn starts another. */
export interface RestingSession {
  /** Ends the process, unless a turn runs. */
  rest(): Promise<void>;
}

/**
 * Keeps the processes of the sessions that were used last, because each takes some 200 MB, and ends the others'. A
 * session that works is not counted.
 */
export class IdleProcesses {
  readonly #maxCount: number;
  /** The one that has rested for the longest time first. */
  readonly #idle = new Set<RestingSession>();

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  /** The session has a turn, or has gone. */
  remove(session: RestingSession): void {
    this.#idle.delete(session);
  }

  /** The session's turn has ended. */
  add(session: RestingSession): void {
    this.#idle.delete(session);
    this.#idle.add(session);
    for (const longest of [...this.#idle].slice(0, Math.max(0, this.#idle.size - this.#maxCount))) {
      this.#idle.delete(longest);
      void longest.rest();
    }
  }
}
