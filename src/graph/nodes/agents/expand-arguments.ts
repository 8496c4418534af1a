/** Matches `$ARGUMENTS`, and `$1` to `$9`, but not `$10`. */
const PLACES = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;

/** An argument: text between spaces, which may contain quoted parts. */
const ARGUMENT = /(?:"[^"]*"|'[^']*'|\S)+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;

/**
 * Inserts arguments into the text of a command or a skill: all of them, unchanged, for `$ARGUMENTS`, single ones for `$1`,
 * `$2`, …. Quotes group words, and a missing argument is empty. Without a placeholder, the arguments are appended.
 *
 * @param absent replaces `$ARGUMENTS` if there are no arguments
 */
export function expandArguments(text: string, given: string, absent = ""): string {
  const trimmed = given.trim();
  const words = (trimmed.match(ARGUMENT) ?? []).map((word) => word.replace(QUOTED, "$1$2"));
  let hasPlace = false;
  const expanded = text.replace(PLACES, (_place, position: string | undefined) => {
    hasPlace = true;
    if (position !== undefined) return words[Number(position) - 1] ?? "";
    return trimmed === "" ? absent : trimmed;
  });
  return hasPlace || trimmed === "" ? expanded : `${expanded}\n\nARGUMENTS: ${trimmed}`;
}
