/** A part of a text, by offsets. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Counts the work, so that tests need not measure time. */
export interface StepCounter {
  count: number;
}

/** Settings of {@link matchesCommandGlob}. */
export interface CommandGlobOptions {
  /** Ignore case. @default false */
  readonly ignoreCase?: boolean;
  /** Parts of the text that wildcards do not match: the glob must spell them out. @default none */
  readonly spelledOut?: readonly TextSpan[];
  /** The answer when a match would take more than {@link MAX_GLOB_STEPS}. @default false */
  readonly otherwise?: boolean;
  readonly steps?: StepCounter;
}

/** The most character comparisons for one glob and one text. */
export const MAX_GLOB_STEPS = 1_000_000;

/**
 * Whether a glob matches a whole command: `*` matches any run of characters, `?` any single one. Linear in the text for
 * globs without `?` and commands without `spelledOut`; otherwise limited by {@link MAX_GLOB_STEPS}.
 *
 * ```ts
 * matchesCommandGlob("git *", "git -c a=b log", { spelledOut: [{ start: 4, end: 6 }] }); // false
 * ```
 */
export function matchesCommandGlob(glob: string, text: string, options: CommandGlobOptions = {}): boolean {
  const { ignoreCase = false } = options;
  return ignoreCase
    ? new CommandGlob(foldCase(glob)).matches(foldCase(text), options)
    : new CommandGlob(glob).matches(text, options);
}

/** A glob that is compared with several texts. Ignores `ignoreCase`: fold both ({@link foldCase}). */
export class CommandGlob {
  readonly #segments: readonly string[];
  /** The texts before the first wildcard and after the last one. */
  readonly #head: string;
  readonly #tail: string;
  readonly #hasSingles: boolean;
  readonly #glob: string;
  #tokens: readonly string[] | undefined;

  constructor(glob: string) {
    this.#glob = glob;
    this.#segments = glob.split("*");
    this.#hasSingles = glob.includes("?");
    this.#head = /^[^*?]*/.exec(glob)?.[0] ?? "";
    this.#tail = glob.slice(Math.max(glob.lastIndexOf("*"), glob.lastIndexOf("?")) + 1);
  }

  /** Whether it matches a whole text. */
  matches(text: string, { spelledOut = [], otherwise = false, steps = { count: 0 } }: CommandGlobOptions): boolean {
    steps.count += 1;
    if (!text.startsWith(this.#head) || !text.endsWith(this.#tail)) return false;
    if (spelledOut.length === 0 && !this.#hasSingles) return matchesSegments(this.#segments, text, steps);
    this.#tokens ??= Array.from(this.#glob.replace(/\*+/g, "*"));
    return matchesPlaces(this.#tokens, text, { spelledOut, otherwise, steps });
  }
}

/**
 * Whether a command that the glob matches could be anywhere in the text: the text contains the characters between the
 * wildcards in order, the first ones at the start of a word. Linear. Both must be case-folded ({@link foldCase}).
 */
export function mayMatchWithin(glob: string, text: string, steps: StepCounter = { count: 0 }): boolean {
  const [first = "", ...others] = glob.split(/[*?]/);
  let from = 0;
  if (first !== "") {
    from = text.indexOf(first);
    while (from > 0 && /\w/.test(text.charAt(from - 1)) && /^\w/.test(first)) from = text.indexOf(first, from + 1);
    if (from < 0) return false;
    from += first.length;
  }
  for (const segment of others) {
    const found = text.indexOf(segment, from);
    if (found < 0) return false;
    from = found + segment.length;
  }
  steps.count += text.length;
  return true;
}

/** Folds case character by character, so that the number of characters stays the same. */
export function foldCase(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (sign) => {
    const folded = sign.toUpperCase().toLowerCase().replace("ς", "σ");
    return folded.length === sign.length ? folded : sign;
  }).join("");
}

/** Finds the texts between the runs of a glob in order; the first place of each is the best. */
function matchesSegments(segments: readonly string[], text: string, steps: StepCounter): boolean {
  const first = segments[0] ?? "";
  const last = segments.at(-1) ?? "";
  steps.count += first.length;
  if (segments.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const segment of segments.slice(1, -1)) {
    const found = text.indexOf(segment, from);
    steps.count += (found < 0 ? end : found) - from + segment.length;
    if (found < 0 || found + segment.length > end) return false;
    from = found + segment.length;
  }
  return true;
}

/** Reads the text once and tracks all positions in the glob that fit so far, each once. */
function matchesPlaces(
  tokens: readonly string[],
  text: string,
  { spelledOut, otherwise, steps }: Required<Pick<CommandGlobOptions, "spelledOut" | "otherwise" | "steps">>,
): boolean {
  const isSpelledOut = new Uint8Array(text.length);
  for (const { start, end } of spelledOut) isSpelledOut.fill(1, start, end);
  const limit = steps.count + MAX_GLOB_STEPS;
  let places = enter(tokens, [0]);
  let offset = 0;
  for (const sign of text) {
    steps.count += places.length;
    if (places.length === 0) return false;
    if (steps.count > limit) return otherwise;
    const isFree = isSpelledOut[offset] === 0;
    const reached: number[] = [];
    for (const place of places) {
      const token = tokens[place];
      if (token === "*") {
        if (isFree) reached.push(place);
      } else if (token === sign ? sign !== "?" || isFree : token === "?" && isFree) reached.push(place + 1);
    }
    places = enter(tokens, reached);
    offset += sign.length;
  }
  return places.includes(tokens.length);
}

/** The positions in order, each once, and those after runs that match nothing. */
function enter(tokens: readonly string[], places: readonly number[]): readonly number[] {
  const all: number[] = [];
  for (const place of places) {
    for (let index = place; ; index++) {
      if (index > (all.at(-1) ?? -1)) all.push(index);
      if (tokens[index] !== "*") break;
    }
  }
  return all;
}
