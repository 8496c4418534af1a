import { nearestName } from "../errors/nearest-name.ts";
import { isToolWord, TOOL_WORDS } from "./tool-meanings.ts";

/** A name in a list of tools that is most likely another one's. */
export interface MisspelledTool {
  /** As the list has it, without a pattern and without `!`. */
  readonly name: string;
  /** The tool that it most likely means. */
  readonly nearest: string;
}

/**
 * The misspelled names in a list of tools, each once: `Raed` is near to `Read`. A name that is near to none is not reported,
 * because lists may name tools that Atomic does not know. Pure.
 *
 * 1. Only plain words can be misspelled. A name with any mark in it may be that of an MCP server's tool, or a wildcard.
 * 2. One letter may be wrong, or two swapped. A word of four letters with another letter is another word: `lint` is no
 *    misspelled `list`.
 * 3. A shorter word is compared with own tools, and one letter is missing or too much: `okk` is near to `ok`. With a
 *    `minLength` of 3, it is compared with words that start with the same letter, too: `Bsh`.
 * 4. Of equally near names, one that starts with a capital letter stands in for one that does.
 *
 * @param ownNames tools that are not an agent's own
 */
export function findMisspelledTools(
  names: readonly string[],
  ownNames: readonly string[] = [],
  { minLength = 4 }: { readonly minLength?: 3 | 4 } = {},
): readonly MisspelledTool[] {
  const bare = names.map((name) => name.replace(/\(.*$/s, "").replace(/^\s*!/, "").trim());
  return [...new Set(bare)].flatMap((name) => {
    const nearest = nearestTool(name, ownNames, minLength);
    return nearest === undefined ? [] : [{ name, nearest }];
  });
}

function nearestTool(name: string, ownNames: readonly string[], minLength: number): string | undefined {
  // Invariant 1.
  if (!/^[a-z][a-z0-9]{2,39}$/i.test(name) || isToolWord(name)) return undefined;
  if (ownNames.some((own) => own.toLowerCase() === name.toLowerCase())) return undefined;
  const near = [
    ...ownNames.filter((own) => isComparable(name, own, minLength) || isShortAndNear(name, own)),
    ...TOOL_WORDS.filter((word) => isComparable(name, word, minLength)),
  ];
  // Invariant 4.
  const alike = near.filter((candidate) => isCapitalized(candidate) === isCapitalized(name));
  return nearestName(name, [...alike, ...near], { maxDistance: 1 });
}

/** Invariants 2 and 3. */
function isComparable(name: string, candidate: string, minLength: number): boolean {
  if (candidate.length < 4 || name.length < minLength) return false;
  if (name.length < 4) return name.charAt(0).toLowerCase() === candidate.charAt(0).toLowerCase();
  return name.length > 4 || name.length !== candidate.length || lettersOf(name) === lettersOf(candidate);
}

/** Invariant 3. */
function isShortAndNear(name: string, own: string): boolean {
  return own.length > 1 && own.length <= 4 && name.length <= 4 && name.length !== own.length;
}

function lettersOf(word: string): string {
  return [...word.toLowerCase()].sort().join("");
}

function isCapitalized(word: string): boolean {
  return /^[A-Z]/.test(word);
}
