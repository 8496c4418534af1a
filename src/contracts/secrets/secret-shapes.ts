import { begunLength, lastRunStart } from "./begun-length.ts";
import { labelOf } from "./label.ts";

/** With this, secrets begin that Atomic makes for its own servers, so that they are known wherever they appear. */
export const OWN_SECRET_PREFIX = "atomic-token-";

/**
 * A form of a token. Each pattern is linear: it begins with a fixed text, or where a run of its characters begins, and
 * fails only within a bounded number of characters.
 */
interface Shape {
  /** How a match begins. A text without all of these is not searched: finding one is many times faster than the pattern. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  /** Whether a match is a token. @default all are */
  readonly accepts?: (match: string) => boolean;
}

/** No letter or digit comes before, except that of a line break in JSON. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;

const SHAPES: readonly Shape[] = [
  { hints: [OWN_SECRET_PREFIX], pattern: /atomic-token-[A-Za-z0-9_-]{8,}/g },
  // OpenAI, Anthropic, OpenRouter. "task-list-of-something" is none.
  { hints: ["sk-"], pattern: startingWith("sk-[A-Za-z0-9_-]{16,}"), accepts: hasLongRun },
  { hints: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], pattern: /gh[pousr]_[A-Za-z0-9]{20,}/g },
  { hints: ["github_pat_"], pattern: /github_pat_[A-Za-z0-9_]{20,}/g },
  { hints: ["glpat-"], pattern: /glpat-[A-Za-z0-9_-]{16,}/g },
  { hints: ["xox"], pattern: /xox[a-z]-[A-Za-z0-9-]{10,}/g, accepts: (match) => /\d/.test(match) },
  { hints: ["AKIA", "ASIA"], pattern: startingWith("A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])") },
  { hints: ["AIza"], pattern: /AIza[A-Za-z0-9_-]{30,}/g },
  { hints: ["ya29."], pattern: startingWith("ya29[.][A-Za-z0-9_-]{20,}") },
  { hints: ["npm_"], pattern: /npm_[A-Za-z0-9]{30,}/g },
  { hints: ["pypi-"], pattern: /pypi-[A-Za-z0-9_-]{50,}/g },
  { hints: ["hf_", "gsk_"], pattern: startingWith("(?:hf|gsk)_[A-Za-z0-9]{30,}") },
  { hints: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"], pattern: /[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { hints: ["AGE-SECRET-KEY-1"], pattern: /AGE-SECRET-KEY-1[A-Z0-9]{20,}/g },
  // A JSON Web Token. It begins where a run of its characters begins.
  { hints: ["eyJ"], pattern: startingWith("(?<![_-])eyJ[A-Za-z0-9_-]{5,}[.][A-Za-z0-9_-]{5,}[.][A-Za-z0-9_-]*") },
];

const HINTS: readonly string[] = SHAPES.flatMap(({ hints }) => hints);
const ANY_HINT = new RegExp(HINTS.map((hint) => hint.replace(".", "[.]")).join("|"));
/** No token has one of these. */
const NO_TOKEN = /[^\w.-]/;

/** Where the end of a text may have begun a token: its length if nowhere. */
export function findBegunShape(text: string): number {
  const runAt = lastRunStart(text, NO_TOKEN);
  const run = text.slice(runAt);
  const hintAt = run.search(ANY_HINT);
  return hintAt >= 0 ? runAt + hintAt : text.length - Math.max(...HINTS.map((hint) => begunLength(run, hint)));
}

function startingWith(pattern: string): RegExp {
  return new RegExp(START + pattern, "g");
}

/** No token is shorter. */
const MIN_LENGTH = 16;

/** Replaces what has the form of a token. */
export function redactShapes(text: string): string {
  if (text.length < MIN_LENGTH) return text;
  let result = text;
  for (const { hints, pattern, accepts } of SHAPES) {
    if (!hints.some((hint) => result.includes(hint))) continue;
    result = result.replace(pattern, (match) => (accepts === undefined || accepts(match) ? labelOf() : match));
  }
  return result;
}

/** Whether there are many characters without a hyphen, as in a random text and in no list of words. */
function hasLongRun(match: string): boolean {
  const runs: readonly string[] = match.match(/[A-Za-z0-9]{12,}/g) ?? [];
  return runs.some((run) => run.length >= 20 || /\d/.test(run));
}
