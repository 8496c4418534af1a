import { setTimeout as sleep } from "node:timers/promises";
import { type AgentCrashedError, messageOf, withResolvers } from "../../../../contracts/index.ts";

/** Calls the runtime. Rejects with AgentCrashedError if the runtime ended before it answered. */
export type CallGuard = <T>(makeCall: () => Promise<T>) => Promise<T>;

/** How long after its connection the process may end, in milliseconds. */
const END_GRACE_MS = 1_000;

/**
 * Guards the calls of one runtime. There may be many thousands, so they share one listener on `ended`, which lives as long
 * as the runtime.
 */
export function createCallGuard(ended: Promise<AgentCrashedError>): CallGuard {
  const pending = new Set<(error: AgentCrashedError) => void>();
  const end: { error?: AgentCrashedError } = {};
  void ended.then((error) => {
    end.error = error;
    for (const giveUp of pending) giveUp(error);
  });
  return async (makeCall) => {
    if (end.error !== undefined) throw end.error;
    const gone = withResolvers<never>();
    pending.add(gone.reject);
    try {
      return await Promise.race([makeCall(), gone.promise]);
    } catch (error) {
      if (!/connection|disposed|disconnected|closed/i.test(messageOf(error))) throw error;
      // The reason for the broken connection follows a moment later.
      throw await Promise.race([ended, sleep(END_GRACE_MS, error, { ref: false })]);
    } finally {
      pending.delete(gone.reject);
    }
  };
}
