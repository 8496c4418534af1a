import { describe, expect, test } from "bun:test";
import { type Connection, SharedConnection } from "./shared-connection.ts";

const STOPPED = new DOMException("The client was stopped.", "AbortError");

/** A connection that only remembers what became of it. */
interface NotedConnection extends Connection {
  readonly number: number;
  isOpen: boolean;
}

/** Connections that open when the test says so; `numbers` has those that are open. */
class ManualOpener {
  readonly #openings: PromiseWithResolvers<NotedConnection>[] = [];
  readonly numbers: number[] = [];
  /** Those of the openings. */
  readonly signals: AbortSignal[] = [];
  readonly shared = new SharedConnection((signal) => {
    this.signals.push(signal);
    const opening = Promise.withResolvers<NotedConnection>();
    this.#openings.push(opening);
    return opening.promise;
  });

  /** How often a connection was asked for. */
  get count(): number {
    return this.#openings.length;
  }

  /** The last connection that was asked for is open now. */
  finish(): NotedConnection {
    const number = this.count;
    const connection: NotedConnection = {
      number,
      isOpen: true,
      stop: async () => {
        connection.isOpen = false;
        this.numbers.splice(this.numbers.indexOf(number), 1);
      },
    };
    this.numbers.push(number);
    this.#openings.at(-1)?.resolve(connection);
    return connection;
  }

  /** The last connection that was asked for cannot be opened. */
  fail(message: string): void {
    this.#openings.at(-1)?.reject(new Error(message));
  }

  /** Connects at once. */
  async connect(): Promise<NotedConnection> {
    const connecting = this.shared.connect();
    this.finish();
    return connecting;
  }
}

async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => Promise.reject(new Error(`Expected a rejection, got ${JSON.stringify(value)}.`)),
    (error: unknown) => error,
  );
}

describe("who asks", () => {
  test("at the same time, and later, gets the same connection", async () => {
    const opener = new ManualOpener();
    const asking = [opener.shared.connect(), opener.shared.connect()];
    const connection = opener.finish();
    const given = [...(await Promise.all(asking)), await opener.shared.connect()];
    expect(given.map((one) => one === connection)).toEqual([true, true, true]);
    expect(opener.count).toBe(1);
  });

  test("gets the error together with all others, and may retry at once", async () => {
    const opener = new ManualOpener();
    const again = opener.shared.connect().catch(() => opener.shared.connect());
    const other = rejectionOf(opener.shared.connect());
    opener.fail("no such program");
    expect(await other).toEqual(new Error("no such program"));
    opener.finish();
    expect([(await again).number, opener.count]).toEqual([2, 2]);
  });

  test("after it has ended by itself gets another one", async () => {
    const opener = new ManualOpener();
    const first = await opener.connect();
    first.isOpen = false;
    expect((await opener.connect()).number).toBe(2);
  });
});

describe("stopping", () => {
  test("ends the connection, may be repeated, and a later call opens another one", async () => {
    const opener = new ManualOpener();
    await opener.connect();
    await opener.shared.stop();
    await opener.shared.stop();
    expect(opener.numbers).toEqual([]);
    expect((await opener.connect()).number).toBe(2);
    expect(opener.numbers).toEqual([2]);
  });

  test("does nothing where nothing was opened", async () => {
    const opener = new ManualOpener();
    await opener.shared.stop();
    expect(opener.count).toBe(0);
  });

  test("during the opening rejects waiting callers at once, and ends the connection", async () => {
    const opener = new ManualOpener();
    const waiting = rejectionOf(opener.shared.connect());
    const stopping = opener.shared.stop({ reason: STOPPED });
    expect(await waiting).toBe(STOPPED);
    expect(opener.signals.map(({ reason }) => reason)).toEqual([STOPPED]);
    const connection = opener.finish();
    await stopping;
    expect([connection.isOpen, opener.numbers]).toEqual([false, []]);
  });

  test("does not abort the signal of what is open already", async () => {
    const opener = new ManualOpener();
    await opener.connect();
    await opener.shared.stop();
    expect(opener.signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test("during an opening that fails is no failure", async () => {
    const opener = new ManualOpener();
    const waiting = rejectionOf(opener.shared.connect());
    const stopping = opener.shared.stop();
    opener.fail("no such program");
    await stopping;
    expect(await waiting).toEqual(new DOMException("The connection was closed.", "AbortError"));
  });

  test("does not affect a connection that is requested meanwhile", async () => {
    const opener = new ManualOpener();
    const waiting = rejectionOf(opener.shared.connect());
    const stopping = opener.shared.stop({ reason: STOPPED });
    opener.finish();
    const later = opener.connect();
    await stopping;
    expect(await waiting).toBe(STOPPED);
    expect([(await later).number, opener.numbers]).toEqual([2, [2]]);
  });

  test("lets those who use it say goodbye first, while others get another one already", async () => {
    const opener = new ManualOpener();
    const first = await opener.connect();
    const goodbye = Promise.withResolvers<void>();
    const stopping = opener.shared.stop({ beforeEnd: () => goodbye.promise });
    const second = await opener.connect();
    expect([first.isOpen, second.number]).toEqual([true, 2]);
    goodbye.resolve();
    await stopping;
    expect(opener.numbers).toEqual([2]);
  });

  test("ends it although a goodbye fails, and reports the failure", async () => {
    const opener = new ManualOpener();
    await opener.connect();
    const stopping = opener.shared.stop({ beforeEnd: () => Promise.reject(new Error("no goodbye")) });
    expect(await rejectionOf(stopping)).toEqual(new Error("no goodbye"));
    expect(opener.numbers).toEqual([]);
  });
});
