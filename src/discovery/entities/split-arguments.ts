const ARGUMENT = /(?:"[^"]*"|'[^']*'|\S)+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;

/** Splits what was typed after a name into words; quotes hold words together, and are no part of them. Pure. */
export function splitArguments(text: string): readonly string[] {
  return (text.match(ARGUMENT) ?? []).map((word) =>
    word.replace(QUOTED, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
}
