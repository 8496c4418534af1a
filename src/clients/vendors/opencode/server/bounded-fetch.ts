import { TurnStalledError } from "../../../../contracts/index.ts";
import { setLongTimer } from "../../../../system/index.ts";
import { AGENT_TYPE } from "./opencode-errors.ts";

/** Calls that last as long as the server, or as a model's answer, which a turn watches itself. */
const UNBOUNDED = /\/(?:event|summarize)$/;

/**
 * A `fetch` for the calls of OpenCode's server whose answer comes at once: outside of a turn nothing else would notice a
 * server that never answers. The returned function throws TurnStalledError.
 *
 * @param send for tests
 */
export function boundedFetch(
  timeoutMs: number,
  send: (request: Request) => Promise<Response> = fetch,
): (request: Request) => Promise<Response> {
  return async (request) => {
    // Bun's own limit would end the stream of events.
    const sending = send(Object.assign(request, { timeout: false }));
    if (UNBOUNDED.test(new URL(request.url).pathname)) return await sending;
    let stop = (): void => {};
    const late = new Promise<never>((_, reject) => {
      stop = setLongTimer(() => reject(new TurnStalledError(AGENT_TYPE, timeoutMs)), timeoutMs);
    });
    try {
      return await Promise.race([sending, late]);
    } finally {
      stop();
    }
  };
}
