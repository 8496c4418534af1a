import data from "./words.json";

/** Words to avoid, and what to write instead. */
export interface WordRule {
  /** A regular expression of whole words. Case is ignored; a space also matches a line break. */
  readonly pattern: string;
  readonly instead: string;
  /** Regular expressions of texts in which the words are allowed. */
  readonly except?: readonly string[];
}

/** The words that documents, texts and comments avoid. */
export interface WordTable {
  /** Files and folders that are not rewritten yet. They are not checked. */
  readonly notYet: readonly string[];
  readonly words: readonly WordRule[];
}

/** A place where a text uses a word to avoid. */
export interface WordViolation {
  /** 1-based. */
  readonly line: number;
  /** The words found. */
  readonly found: string;
  readonly instead: string;
}

/** The words of this repository, from words.json. */
export const WORD_TABLE: WordTable = data;

/** Text that a document only quotes: code, quotations, the targets of links, comments. */
const QUOTED: readonly RegExp[] = [
  /^( *)(```+|~~~+)[\s\S]*?^\1\2 *$/gm,
  /<!--[\s\S]*?-->/g,
  /(`+)(?!`)(?:(?!\n\n)[\s\S])*?[^`]\1(?!`)/g,
  /"(?:(?!\n\n)[^"]){1,200}"/g,
  /\]\([^)\s]*\)/g,
];

/** Blanks what a Markdown document quotes; the remaining text keeps its lines. */
export function blankQuoted(markdown: string): string {
  return QUOTED.reduce((text, pattern) => text.replace(pattern, blank), markdown);
}

/** Finds the words of a table in a text, in the text's order. */
export function findWords(text: string, words: readonly WordRule[]): readonly WordViolation[] {
  const found = words.flatMap(({ pattern, instead, except = [] }) => {
    const checked = except.reduce((rest, exception) => rest.replace(wholeWords(exception), blank), text);
    return [...checked.matchAll(wholeWords(pattern))].map((match) => ({ ...match, index: match.index, instead }));
  });
  return found
    .sort((one, other) => one.index - other.index)
    .map(({ 0: match, index, instead }) => ({
      line: text.slice(0, index).split("\n").length,
      found: match.replace(/\s+/g, " "),
      instead,
    }));
}

function wholeWords(pattern: string): RegExp {
  return new RegExp(`(?<![\\w-])(?:${pattern.replaceAll(" ", "\\s+")})(?![\\w-])`, "gi");
}

/** Replaces everything but white space by a character that is neither a word nor a space. */
export function blank(text: string): string {
  return text.replace(/\S/g, "\u0000");
}
