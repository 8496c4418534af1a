import { nearestName } from "../../contracts/index.ts";
import { AmbiguousSessionIdError, InvalidSessionIdError, WorkflowSessionNotFoundError } from "./session-errors.ts";
import { compareIdsByAge, isWorkflowSessionId } from "./session-id.ts";

/** Stands for the newest session. */
const LAST = "last";

/** How many sessions are named at most. */
const MAX_CANDIDATES = 5;

/**
 * Picks the session a person means: the one with this identifier, in any case, or else the only one that begins with
 * it. Four characters are the least. `last` is the newest.
 *
 * @throws WorkflowSessionNotFoundError, AmbiguousSessionIdError, InvalidSessionIdError
 */
export function resolveSessionId(prefixOrId: string, ids: readonly string[]): string {
  const wanted = prefixOrId.trim().toLowerCase();
  // The least length of an identifier is that of a prefix, too.
  if (!isWorkflowSessionId(wanted)) throw new InvalidSessionIdError(prefixOrId, nearestName(wanted, [LAST]));
  if (ids.includes(wanted)) return wanted;
  const matches = ids.filter((id) => id.startsWith(wanted)).sort();
  // No identifier that is made here begins like that: it has no "l".
  const [only = wanted === LAST ? newestOf(ids) : undefined] = matches;
  if (only === undefined) throw createSessionNotFoundError(prefixOrId, ids);
  if (matches.length > 1) throw new AmbiguousSessionIdError(prefixOrId, matches);
  return only;
}

/** Other kinds of identifiers do not contain their age. */
function newestOf(ids: readonly string[]): string | undefined {
  return ids
    .filter((id) => /^[0-9a-z]{12}$/.test(id))
    .sort(compareIdsByAge)
    .at(-1);
}

/** The error for an unknown identifier. */
export function createSessionNotFoundError(id: string, ids: readonly string[]): WorkflowSessionNotFoundError {
  const candidates = suggestSessionIds(id.trim().toLowerCase(), ids);
  return new WorkflowSessionNotFoundError(id, candidates, { areThereOthers: ids.length > 0 });
}

/** The session that a misspelled identifier resembles, otherwise those with a similar beginning, newest first. */
function suggestSessionIds(id: string, ids: readonly string[]): readonly string[] {
  const nearest = nearestName(id, ids.length === 0 ? [] : [...ids, LAST]);
  if (nearest !== undefined) return [nearest];
  const near = ids.filter((known) => nearestName(id, [known.slice(0, id.length)]) !== undefined);
  return near.sort(compareIdsByAge).reverse().slice(0, MAX_CANDIDATES);
}
