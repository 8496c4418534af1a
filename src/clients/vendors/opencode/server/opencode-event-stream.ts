import { setTimeout as sleep } from "node:timers/promises";

/** Settings of {@link followEventStream}. */
export interface FollowEventStreamOptions {
  /** Opens one subscription; it ends when the connection does. */
  readonly subscribe: () => Promise<AsyncIterable<unknown>>;
  readonly onEvent: (event: unknown) => void;
  /** Called after a reconnect: what happened in the meantime must be read again. */
  readonly onReconnect: () => void;
  /** Whether an event is the server's first on a connection. */
  readonly isConnected: (event: unknown) => boolean;
  /** Stops following. The server must end an open subscription. */
  readonly signal: AbortSignal;
}

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2_000;

/**
 * Follows a server's events across lost connections, until `signal` is aborted. Resolves when the server reports that the
 * first connection is established, because the server drops earlier events.
 */
export function followEventStream(options: FollowEventStreamOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    keepFollowing(options, resolve).then(() => reject(options.signal.reason), reject);
  });
}

async function keepFollowing(options: FollowEventStreamOptions, onFirstConnection: () => void): Promise<void> {
  const { subscribe, onEvent, onReconnect, isConnected, signal } = options;
  let connections = 0;
  let delayMs = FIRST_DELAY_MS;
  while (!signal.aborted) {
    try {
      for await (const event of await subscribe()) {
        if (signal.aborted) return;
        if (isConnected(event)) {
          connections += 1;
          delayMs = FIRST_DELAY_MS;
          if (connections === 1) onFirstConnection();
          else onReconnect();
        }
        onEvent(event);
      }
    } catch {
      // The connection was lost. If the server has ended, its process reports it.
    }
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  }
}
