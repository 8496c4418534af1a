import { raceAbort } from "../../contracts/index.ts";

/** Something that is open until it is stopped or ends by itself. */
export interface Connection {
  /** False once it has ended. */
  readonly isOpen: boolean;
  /** Ends the connection and its process. Idempotent. */
  stop(): Promise<void>;
}

/** Settings of {@link SharedConnection.stop}. */
export interface StopConnectionOptions {
  /** The error for callers that wait for the connection to open. @default an `AbortError` */
  readonly reason?: unknown;
  /** Runs while the connection is still open, but no longer shared, so that its users can say goodbye. */
  readonly beforeEnd?: () => Promise<unknown>;
}

/** A connection that is open or being opened. */
interface Opening<T> {
  readonly opened: Promise<T>;
  /** Aborted when it must be given up before it is open. */
  readonly givingUp: AbortController;
  /** Set as soon as it is open. */
  connection?: T;
}

/**
 * The one connection that all sessions of a client share. The first caller opens it.
 *
 * 1. Callers wait for an opening in progress, and get its error if it fails.
 * 2. A connection that could not be opened, or has ended, is forgotten: the next call opens another.
 * 3. `stop` also ends an opening in progress. Its callers get the error at once; `stop` resolves when everything has ended.
 * 4. The signal of an opening is never aborted after it has succeeded.
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
   * `open` creates a connection whenever there is none. It may ignore its signal; whenever it rejects, it has cleaned up
   * after itself.
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
      // A connection that could not be opened has nothing to stop.
      const connection = await current?.opened.catch(() => undefined);
      await connection?.stop();
    }
  }

  #begin(): Opening<T> {
    const givingUp = new AbortController();
    const opening: Opening<T> = { opened: this.#open(givingUp.signal), givingUp };
    // Invariant 2, before waiting callers are notified.
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
