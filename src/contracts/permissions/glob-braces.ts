/** A path glob without braces for each combination of alternatives; together they match no less than the glob. */
export function expandBraces(glob: string): readonly string[] {
  const open = glob.indexOf("{");
  const braces = open < 0 ? undefined : readBraces(glob, open);
  if (braces === undefined) return [glob];
  const tails = expandBraces(glob.slice(braces.end));
  return braces.alternatives
    .flatMap(expandBraces)
    .flatMap((alternative) => tails.map((tail) => glob.slice(0, open) + alternative + tail));
}

/** The alternatives of a brace, and the offset after it. */
export function readBraces(
  glob: string,
  open: number,
): { readonly alternatives: readonly string[]; readonly end: number } | undefined {
  const alternatives: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let index = open; index < glob.length; index++) {
    const character = glob.charAt(index);
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (depth === 0 || (depth === 1 && character === ",")) {
      alternatives.push(glob.slice(start, index));
      start = index + 1;
    }
    if (depth === 0) return { alternatives, end: start };
  }
  return undefined;
}
