import { nearestName } from "../../contracts/index.ts";
import { AmbiguousSessionIdError, InvalidSessionIdError, WorkflowSessionNotFoundError } from "./session-errors.ts";
import { compareIdsByAge, isWorkflowSessionId } from "./session-id.ts";

/** How many sessions are named when nothing resembles the one asked for. */
const MAX_CANDIDATES = 5;

/**
 * Picks the session a person means: the one with this identifier, in any case, or else the only one that begins with
 * it. Four characters are the least.
 *
 * @throws WorkflowSessionNotFoundError, AmbiguousSessionIdError, InvalidSessionIdError
 */
export function resolveSessionId(prefixOrId: string, ids: readonly string[]): string {
  const wanted = prefixOrId.trim().toLowerCase();
  // The least length of an identifier is that of a prefix, too.
  if (!isWorkflowSessionId(wanted)) throw new InvalidSessionIdError(prefixOrId);
  if (ids.includes(wanted)) return wanted;
  const matches = ids.filter((id) => id.startsWith(wanted)).sort();
  const [only] = matches;
  if (only === undefined) throw new WorkflowSessionNotFoundError(prefixOrId, suggestSessionIds(wanted, ids));
  if (matches.length > 1) throw new AmbiguousSessionIdError(prefixOrId, matches);
  return only;
}

/** The session a misspelt identifier resembles, or else the newest ones. */
export function suggestSessionIds(id: string, ids: readonly string[]): readonly string[] {
  const nearest = nearestName(id, ids);
  return nearest === undefined ? ids.toSorted(compareIdsByAge).reverse().slice(0, MAX_CANDIDATES) : [nearest];
}
