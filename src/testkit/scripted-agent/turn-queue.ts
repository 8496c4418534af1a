import { raceAbort } from "../../contracts/index.ts";

/** Work that has begun. */
export interface BegunWork {
  /** Settles when the work is over. */
  readonly done: Promise<unknown>;
}

/** Has pieces of work begin one after the other, in the order in which they were asked for. */
export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** Whether nothing is under way and nobody waits. */
  get isFree(): boolean {
    return this.#count === 0;
  }

  /** Begins at once; only for a queue that is free. */
  begin<T extends BegunWork>(begin: () => T): T {
    const work = begin();
    this.#count++;
    const leave = (): void => {
      this.#count--;
    };
    this.#last = work.done.then(leave, leave);
    return work;
  }

  /** Begins when everything before it is over. Rejects with the signal's reason when that comes first. */
  async beginLater<T extends BegunWork>(begin: () => T, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#last;
    const own = Promise.withResolvers<void>();
    this.#count++;
    // Who gives up waiting must not let the next one begin before the work ahead is over.
    this.#last = Promise.all([before, own.promise]);
    const leave = (): void => {
      this.#count--;
      own.resolve();
    };
    try {
      await raceAbort(before, signal);
      const work = begin();
      void work.done.then(leave, leave);
      return work;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
