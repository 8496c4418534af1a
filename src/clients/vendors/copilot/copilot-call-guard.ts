import { setTimeout as sleep } from "node:timers/promises";
import { type AgentCrashedError, messageOf } from "../../../contracts/index.ts";

/** Makes a call of the runtime. Rejects with AgentCrashedError when it cannot be answered because the runtime is gone. */
export type CallGuard = <T>(makeCall: () => Promise<T>) => Promise<T>;

/** How long the end of the process may follow the end of its connection, in milliseconds. */
const END_GRACE_MS = 1_000;

/**
 * Guards the calls of one runtime, which may be many thousands: none of them leaves anything behind on `ended`, which lives
 * as long as the runtime does.
 */
export function createCallGuard(ended: Promise<AgentCrashedError>): CallGuard {
  const underWay = new Set<(error: AgentCrashedError) => void>();
  const end: { error?: AgentCrashedError } = {};
  void ended.then((error) => {
    end.error = error;
    for (const giveUp of underWay) giveUp(error);
  });
  return async (makeCall) => {
    if (end.error !== undefined) throw end.error;
    const gone = Promise.withResolvers<never>();
    underWay.add(gone.reject);
    try {
      return await Promise.race([makeCall(), gone.promise]);
    } catch (error) {
      if (!/connection|disposed|disconnected|closed/i.test(messageOf(error))) throw error;
      // What broke the connection is told a moment later.
      throw await Promise.race([ended, sleep(END_GRACE_MS, error, { ref: false })]);
    } finally {
      underWay.delete(gone.reject);
    }
  };
}
