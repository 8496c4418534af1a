/** How well a text fits a query, and where. */
export interface FuzzyMatch {
  /** Higher is better. */
  readonly score: number;
  /** The indexes of the matched UTF-16 units, ascending. */
  readonly positions: readonly number[];
}

/** A text, prepared for many queries. */
export interface FuzzyTarget {
  readonly text: string;
  readonly lower: string;
  /** Where the last name of a path starts; the end of a folder's name is its `/`. */
  readonly nameStart: number;
  /** The letters in it, see {@link letterMask}. */
  readonly mask: number;
}

const NAME_HAS_QUERY = 1_000;
const TEXT_HAS_QUERY = 700;
const NAME_HAS_LETTERS = 400;
const TEXT_HAS_LETTERS = 100;
const AT_START = 200;
const AT_WORD = 100;
/** For each letter that follows the one before, or starts a word. */
const LETTER_BONUS = 12;
/** The most that a long text loses. */
const MAX_LENGTH_PENALTY = 90;

/** Prepares a text. Letters whose lower case has another length are compared as they are. */
export function fuzzyTarget(text: string): FuzzyTarget {
  const lower = text.toLowerCase();
  const compared = lower.length === text.length ? lower : text;
  return {
    text,
    lower: compared,
    nameStart: text.lastIndexOf("/", text.length - 2) + 1,
    mask: letterMask(compared),
  };
}

/** A bit for each letter of a text; several letters share a bit. A text fits only if it has all bits of the query. */
export function letterMask(text: string): number {
  let mask = 0;
  for (let at = 0; at < text.length; at += 1) mask |= 1 << (text.charCodeAt(at) & 31);
  return mask;
}

/** Whether the letters of the query, in lower case, appear in their order. */
export function fitsFuzzy({ lower }: FuzzyTarget, query: string): boolean {
  return hasLetters(lower, query, 0);
}

/** The highest score of a text that has the letters, but not the whole query. */
export const MAX_SCATTERED_SCORE = 690;

/**
 * The score of a text that fits. The query is in lower case. The last name of a path counts more than its folders, whole
 * words more than scattered letters, and the shorter text wins.
 */
export function fuzzyScore(target: FuzzyTarget, query: string): number {
  return wholeScore(target, query) ?? scatteredScore(target, query);
}

/** The score of a text that has the whole query. Undefined for others. */
export function wholeScore(target: FuzzyTarget, query: string): number | undefined {
  const { text, nameStart } = target;
  const at = whereWhole(target, query);
  if (at === -1) return undefined;
  const start = at === nameStart ? AT_START : isWordStart(text, at) ? AT_WORD : 0;
  return (at >= nameStart ? NAME_HAS_QUERY : TEXT_HAS_QUERY) + start - penaltyOf(text);
}

function scatteredScore(target: FuzzyTarget, query: string): number {
  const { text, nameStart } = target;
  const from = whereLetters(target, query);
  const positions = spreadLetters(target, query, from);
  const bonus = positions.filter((at, index) => at === (positions[index - 1] ?? -2) + 1 || isWordStart(text, at));
  const score = (from >= nameStart ? NAME_HAS_LETTERS : TEXT_HAS_LETTERS) + bonus.length * LETTER_BONUS;
  return Math.min(MAX_SCATTERED_SCORE, score) - penaltyOf(text);
}

/** Below the difference of any two kinds of match. */
function penaltyOf(text: string): number {
  return Math.min(MAX_LENGTH_PENALTY, text.length / 2);
}

/** The score and the matched letters. Undefined when the text does not fit. */
export function matchFuzzy(text: string, query: string): FuzzyMatch | undefined {
  const target = fuzzyTarget(text);
  const lower = query.toLowerCase();
  if (!fitsFuzzy(target, lower)) return undefined;
  return { score: fuzzyScore(target, lower), positions: fuzzyPositions(target, lower) };
}

/** The matched letters of a text that fits. The query is in lower case. */
export function fuzzyPositions(target: FuzzyTarget, query: string): readonly number[] {
  const at = whereWhole(target, query);
  if (at !== -1) return Array.from({ length: query.length }, (_, index) => at + index);
  return spreadLetters(target, query, whereLetters(target, query));
}

/** Where the whole query is: at the start of a word of the last name, anywhere in it, anywhere. -1 for nowhere. */
function whereWhole({ text, lower, nameStart }: FuzzyTarget, query: string): number {
  const first = lower.indexOf(query, nameStart);
  for (let at = first; at !== -1; at = lower.indexOf(query, at + 1)) if (isWordStart(text, at)) return at;
  return first === -1 ? lower.lastIndexOf(query) : first;
}

/** From where on the letters of a query that fits appear in their order: the last name, or the start. */
function whereLetters({ lower, nameStart }: FuzzyTarget, query: string): number {
  return hasLetters(lower, query, nameStart) ? nameStart : 0;
}

function hasLetters(lower: string, query: string, from: number): boolean {
  let wanted = 0;
  for (let at = from; at < lower.length && wanted < query.length; at += 1) {
    if (lower.charCodeAt(at) === query.charCodeAt(wanted)) wanted += 1;
  }
  return wanted === query.length;
}

/** One position for each letter: next to the last one, else at the start of a word, else the first that fits. */
function spreadLetters({ text, lower }: FuzzyTarget, query: string, from: number): readonly number[] {
  const positions: number[] = [];
  let after = from;
  for (const [index, letter] of [...query].entries()) {
    const first = lower.indexOf(letter, after);
    const rest = query.slice(index + 1);
    let at = first;
    if (positions.length === 0 || first !== after) {
      for (let word = first; word !== -1; word = lower.indexOf(letter, word + 1)) {
        if (!isWordStart(text, word)) continue;
        if (hasLetters(lower, rest, word + 1)) at = word;
        break;
      }
    }
    positions.push(at);
    after = at + letter.length;
  }
  return positions;
}

/** Whether a word starts here: after a separator, or at a capital letter after a small one. */
function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (isSeparator(before)) return true;
  const here = text.charCodeAt(at);
  return here >= 65 && here <= 90 && before >= 97 && before <= 122;
}

/** `/`, `-`, `_`, `.`, `:` or a space. */
function isSeparator(unit: number): boolean {
  return unit === 47 || unit === 45 || unit === 95 || unit === 46 || unit === 58 || unit === 32;
}
