/** A text as one word of a command line for `sh`, whatever it contains. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
