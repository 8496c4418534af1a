import { raceAbort } from "../../contracts/index.ts";

/** Something that is open until it is stopped or ends by itself. */
export interface Connection {
  /** False once it has ended. */
  readonly isOpen: boolean;
  /** Ends it and the process behind it. Idempotent. */
  stop(): Promise<void>;
}

/** Settings of {@link SharedConnection.stop}. */
export interface StopConnectionOptions {
  /** What those are told who wait for the connection to open. @default an `AbortError` */
  readonly reason?: unknown;
  /** What is to be done while it is still open, though nobody is given it any more: the goodbyes of those who use it. */
  readonly beforeEnd?: () => Promise<unknown>;
}

/** A connection from the moment it is asked for. */
interface Opening<T> {
  readonly opened: Promise<T>;
  /** Aborted when it is to be given up before it is open. */
  readonly givingUp: AbortController;
  /** Set as soon as it is open. */
  connection?: T;
}

/**
 * The one connection that all sessions of a client share, opened when somebody needs it.
 *
 * 1. Who asks while it is being opened waits for the same one, and is told when it cannot be opened.
 * 2. One that could not be opened, or has ended, is forgotten: the next call opens another.
 * 3. `stop` also ends what is still being opened. Who waits for it is told at once; `stop` itself resolves when nothing of
 *    it is left.
 * 4. The signal of an opening is never aborted once it has succeeded.
 *
 * ```ts
 * const shared = new SharedConnection((signal) => openServer(options, { signal }));
 * const [first, second] = await Promise.all([shared.connect(), shared.connect()]); // the same one
 * await shared.stop();
 * ```
 */
export class SharedConnection<T extends Connection> {
  readonly #open: (signal: AbortSignal) => Promise<T>;
  #current: Opening<T> | undefined;

  /**
   * `open` makes a connection each time that none is there. It need not heed its signal; whenever it rejects, it has
   * cleaned up after itself.
   */
  constructor(open: (signal: AbortSignal) => Promise<T>) {
    this.#open = open;
  }

  /** The open connection; a new one when there is none. @throws what opening it throws, and the reason of a `stop` */
  async connect(): Promise<T> {
    if (this.#current?.connection?.isOpen === false) this.#current = undefined;
    this.#current ??= this.#begin();
    const { opened, givingUp } = this.#current;
    return raceAbort(opened, givingUp.signal);
  }

  /** Ends the connection. Idempotent; a later `connect` opens another one. @throws what `beforeEnd` throws, at the end */
  async stop(options: StopConnectionOptions = {}): Promise<void> {
    const { reason = new DOMException("The connection was closed.", "AbortError"), beforeEnd } = options;
    const current = this.#current;
    this.#current = undefined;
    if (current?.connection === undefined) current?.givingUp.abort(reason);
    try {
      await beforeEnd?.();
    } finally {
      // One that could not be opened has nothing to stop.
      const connection = await current?.opened.catch(() => undefined);
      await connection?.stop();
    }
  }

  #begin(): Opening<T> {
    const givingUp = new AbortController();
    const opening: Opening<T> = { opened: this.#open(givingUp.signal), givingUp };
    // Invariant 2, before anybody who waits hears of it.
    opening.opened.then(
      (connection) => {
        opening.connection = connection;
      },
      () => {
        if (this.#current === opening) this.#current = undefined;
      },
    );
    return opening;
  }
}
