/** How well a text fits, and which of its characters do. */
export interface FuzzyMatch {
  /** Higher is better. */
  readonly score: number;
  /** The indexes of the matched characters, ascending. */
  readonly indexes: readonly number[];
}

/** Bonuses of a matched character: after another one, at the start of a word, at the start of the text. */
const CONSECUTIVE = 4;
const WORD_START = 6;
const TEXT_START = 2;

/** Matches a query's characters in a text, in their order and without regard to case. Undefined when one is missing. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  const wanted = query.toLowerCase().replace(/\s+/g, "");
  const lower = text.toLowerCase();
  if (wanted === "") return { score: 0, indexes: [] };
  // Some letters change their length in lower case: their indexes would be wrong.
  if (lower.length !== text.length) return undefined;
  const starts = [...lower].flatMap((character, index) => (character === wanted[0] ? [index] : []));
  const matches = starts.slice(0, 16).flatMap((start) => matchFrom(start, { wanted, text }) ?? []);
  return matches.toSorted((one, other) => other.score - one.score)[0];
}

/** The items that fit a query, best first, with their matched characters; all of them in their order without a query. */
export function filterItems<Item>(
  items: readonly Item[],
  { query, textOf }: { readonly query: string; readonly textOf: (item: Item) => string },
): readonly { readonly item: Item; readonly indexes: readonly number[] }[] {
  return items
    .flatMap((item) => {
      const match = fuzzyMatch(query, textOf(item));
      return match === undefined ? [] : [{ item, ...match }];
    })
    .toSorted((one, other) => other.score - one.score)
    .map(({ item, indexes }) => ({ item, indexes }));
}

function matchFrom(
  start: number,
  { wanted, text }: { readonly wanted: string; readonly text: string },
): FuzzyMatch | undefined {
  const lower = text.toLowerCase();
  const indexes: number[] = [];
  let score = 0;
  for (const character of wanted) {
    const last = indexes.at(-1);
    const index = last === undefined ? start : nextIndex(character, { lower, text, after: last });
    if (index === -1) return undefined;
    score += 1 + (isWordStart(text, index) ? WORD_START : 0) + (index === 0 ? TEXT_START : 0);
    score += last !== undefined && index === last + 1 ? CONSECUTIVE : 0;
    indexes.push(index);
  }
  // Of equal matches the shorter text is nearer.
  return { score: score - text.length / 1_000, indexes };
}

/** The next character, if it is consecutive or starts a word; otherwise the first one. */
function nextIndex(
  character: string,
  { lower, text, after }: { readonly lower: string; readonly text: string; readonly after: number },
): number {
  const first = lower.indexOf(character, after + 1);
  if (first === -1 || first === after + 1) return first;
  for (let index = first; index !== -1; index = lower.indexOf(character, index + 1)) {
    if (isWordStart(text, index)) return index;
  }
  return first;
}

function isWordStart(text: string, index: number): boolean {
  const [before = " ", character = ""] = [text[index - 1], text[index]];
  return !/[\p{L}\p{N}]/u.test(before) || (/\p{Lu}/u.test(character) && /\p{Ll}/u.test(before));
}
