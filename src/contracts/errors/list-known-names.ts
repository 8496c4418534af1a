/** How many names an error lists. */
const MAX_LISTED = 20;

/**
 * The sentence about all names that there are, for the error about an unknown one.
 *
 * @param noun what has the names, in the singular
 * @param whenNone the sentences for an empty list
 */
export function listKnownNames(
  noun: string,
  names: readonly string[],
  whenNone = `There are no ${noun}s. Add it, or correct the name.`,
): string {
  if (names.length === 0) return whenNone;
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : "";
  return `Known ${noun}s: ${names.slice(0, MAX_LISTED).join(", ")}${more}.`;
}
