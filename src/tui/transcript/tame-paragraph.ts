/**
 * How long a paragraph of Markdown may be, in characters, how many signs of links and emphasis it may hold, and how many
 * characters of quotes and lists may open one line. The time that a parser needs grows with the second power of the first,
 * the third of the second, and the third overflows its stack: at these limits it needs milliseconds, at ten times as
 * much minutes.
 */
const MAX_CHARACTERS = 5_000;
const MAX_SIGNS = 300;
const MAX_OPENING = 100;

const SIGN = /\]\(|[*_~]+/g;
const OPENING = /^(?:\s*(?:>|[-*+](?=\s)|\d+[.)](?=\s)))+/;

/** A list item is parsed by itself, whatever comes before it. */
const LIST_ITEM = /^ {0,3}(?:[-*+]|1[.)])\s+\S/;

/** The line below the heads of a table, whose rows are parsed by themselves. */
const TABLE_RULE = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;

/** Whether a part that a parser reads by itself is too much for it. The lines hold no empty one. */
function isCostly(lines: readonly string[]): boolean {
  const isTable = TABLE_RULE.test(lines[1]?.trim() ?? "");
  let characters = 0;
  let signs = 0;
  for (const line of lines) {
    if (isTable || LIST_ITEM.test(line)) {
      characters = 0;
      signs = 0;
    }
    characters += line.length;
    signs += line.match(SIGN)?.length ?? 0;
    const opening = OPENING.exec(line)?.[0].length ?? 0;
    if (characters > MAX_CHARACTERS || signs > MAX_SIGNS || opening > MAX_OPENING) return true;
  }
  return false;
}

/** A paragraph for a Markdown parser: as code, if it would stop the screen. */
export function tameParagraph(lines: readonly string[]): readonly string[] {
  if (!isCostly(lines)) return lines;
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length), 2) + 1);
  return [`${fence}text`, ...lines, fence];
}
