/** What may precede the first statement: white space, and comments. */
const BLANK = String.raw`\s+|//.*|/\*(?:[^*]|\*(?!/))*\*/`;

/**
 * The text of a script without the word `export` of its first statement, if that is `export const meta`. The word makes way for
 * spaces, so that places stay the same. Pure.
 */
export function withoutExport(text: string): string {
  const blank = new RegExp(BLANK, "y");
  let start = 0;
  while (blank.test(text)) start = blank.lastIndex;
  const exported = /export(?=\s+const\s+meta\b)/y;
  exported.lastIndex = start;
  if (!exported.test(text)) return text;
  return `${text.slice(0, start)}${" ".repeat("export".length)}${text.slice(exported.lastIndex)}`;
}
