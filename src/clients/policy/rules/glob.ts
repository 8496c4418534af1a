import { readBraces } from "../../../contracts/index.ts";
import { matchesCommandGlob } from "../commands/command-glob.ts";

/** How a glob is read: in a `path` glob wildcards stop at slashes, in a `command` glob they match anything. */
export interface GlobOptions {
  readonly kind: "path" | "command";
  /** Ignore case. @default false */
  readonly ignoreCase?: boolean;
}

/** One step of a glob; `span` says whether it may match a slash, too. */
type GlobToken =
  | { readonly type: "character"; readonly character: string }
  | { readonly type: "one"; readonly span: boolean }
  | { readonly type: "run"; readonly span: boolean }
  /** Nothing, or any run that ends with a slash. */
  | { readonly type: "folders" };

/**
 * Whether a glob matches a whole text. `*` matches any run of characters (in a path: within one folder), `?` any single
 * one, `**` in a path any run of folders, also none, and `{a,b}` either. Names that start with a dot match like others.
 *
 * The texts come from agents and may be long: the text is read once, with all positions in the glob that fit so far.
 */
export function matchesGlob(glob: string, text: string, { kind, ignoreCase = false }: GlobOptions): boolean {
  if (kind === "command") return matchesCommandGlob(glob, text, { ignoreCase });
  const isSame = ignoreCase ? isSameLetter : (one: string, other: string) => one === other;
  return readPathGlob(glob).some((tokens) => matchesTokens(tokens, text, isSame));
}

/** `places` contains the positions in `tokens` that are reached, each once; a position after the end is a match. */
function matchesTokens(
  tokens: readonly GlobToken[],
  text: string,
  isSame: (one: string, other: string) => boolean,
): boolean {
  let places = new Set<number>();
  enter(tokens, 0, places);
  for (const character of text) {
    if (places.size === 0) return false;
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      switch (token.type) {
        case "character":
          if (isSame(token.character, character)) enter(tokens, place + 1, next);
          break;
        case "one":
          if (token.span || character !== "/") enter(tokens, place + 1, next);
          break;
        case "run":
          if (token.span || character !== "/") enter(tokens, place, next);
          break;
        case "folders":
          next.add(place);
          if (character === "/") enter(tokens, place + 1, next);
      }
    }
    places = next;
  }
  return places.has(tokens.length);
}

/** Adds a position, and those after it that are reached without another character. */
function enter(tokens: readonly GlobToken[], place: number, places: Set<number>): void {
  for (let index = place; ; index++) {
    places.add(index);
    const type = tokens[index]?.type;
    if (type !== "run" && type !== "folders") return;
  }
}

/** One list of tokens for each combination of alternatives. An unmatched brace is a plain character. */
function readPathGlob(glob: string): readonly (readonly GlobToken[])[] {
  const open = glob.indexOf("{");
  const braces = open < 0 ? undefined : readBraces(glob, open);
  if (braces === undefined) return [readPathTokens(glob)];
  const before = readPathTokens(glob.slice(0, open));
  const tails = readPathGlob(glob.slice(braces.end));
  return braces.alternatives
    .flatMap(readPathGlob)
    .flatMap((alternative) => tails.map((tail) => [...before, ...alternative, ...tail]));
}

function readPathTokens(glob: string): readonly GlobToken[] {
  return readTokens(glob, /\*\*\/?|\*|\?/g, (wildcard) => wildcard === "**");
}

/** `spans` contains the wildcards that may match a slash. */
function readTokens(glob: string, wildcards: RegExp, spans: (wildcard: string) => boolean): readonly GlobToken[] {
  const tokens: GlobToken[] = [];
  let end = 0;
  const addCharacters = (text: string) => {
    for (const character of text) tokens.push({ type: "character", character });
  };
  for (const { 0: wildcard, index } of glob.matchAll(wildcards)) {
    addCharacters(glob.slice(end, index));
    end = index + wildcard.length;
    if (wildcard.endsWith("/")) tokens.push({ type: "folders" });
    else tokens.push({ type: wildcard === "?" ? "one" : "run", span: spans(wildcard) });
  }
  addCharacters(glob.slice(end));
  return tokens;
}

function isSameLetter(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase() || one.toUpperCase() === other.toUpperCase();
}
