/** The longest title, in characters. */
const MAX_TITLE_LENGTH = 120;

/** Shortens a text to one line for a title. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH - 1)}…` : line;
}
