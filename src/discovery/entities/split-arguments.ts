const ARGUMENT = /(?:"[^"]*"|'[^']*'|\S)+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;

/** Splits what was typed after a name into words; quotes hold words together, and are no part of them. Pure. */
export function splitArguments(text: string): readonly string[] {
  return (text.match(ARGUMENT) ?? []).map((word) =>
    word.replace(QUOTED, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
}

/** Joins words so that `splitArguments` returns them again: quotes those that need it. Pure. */
export function joinArguments(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

function quote(word: string): string {
  if (/^[^\s'"]+$/.test(word)) return word;
  if (!word.includes("'")) return `'${word}'`;
  if (!word.includes('"')) return `"${word}"`;
  return word
    .split("'")
    .map((part) => `'${part}'`)
    .join(`"'"`);
}
