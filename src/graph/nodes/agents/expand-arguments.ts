/** `$ARGUMENTS`, and `$1` to `$9`; a `$10` is none of them. */
const PLACES = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;

/** An argument: what stands between blanks, quoted parts included. */
const ARGUMENT = /(?:"[^"]*"|'[^']*'|\S)+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;

/**
 * Puts arguments into the text of a command or a skill: all of them, as they are, for `$ARGUMENTS`, single ones for
 * `$1`, `$2`, …; quotes hold words together, and an argument that is not given is empty. A text without such a place
 * has the arguments at its end.
 *
 * @param absent stands for `$ARGUMENTS` when there are none
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
