/** What may stand between words: white space, and comments. */
const BLANK = String.raw`\s+|//.*|/\*(?:[^*]|\*(?!/))*\*/`;

/** The words that the first statement of a script begins with. */
const FIRST_WORDS = ["export", "const", "meta"];

/**
 * The text of a script without the word `export` of its first statement, if that is `export const meta`. The word makes way for
 * spaces, so that places stay the same. Pure.
 */
export function withoutExport(text: string): string {
  let start: number | undefined;
  let end = 0;
  for (const word of FIRST_WORDS) {
    const next = skipBlanks(text, end);
    if (!text.startsWith(word, next) || /[\w$]/.test(text[next + word.length] ?? "")) return text;
    start ??= next;
    end = next + word.length;
  }
  const rest = (start ?? 0) + "export".length;
  return `${text.slice(0, start)}${" ".repeat("export".length)}${text.slice(rest)}`;
}

function skipBlanks(text: string, from: number): number {
  const blank = new RegExp(BLANK, "y");
  let start = from;
  blank.lastIndex = start;
  while (blank.test(text)) start = blank.lastIndex;
  return start;
}
