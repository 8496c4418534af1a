/** How much of a tool call's argument, or of a task, is shown. */
const MAX_TITLE_LENGTH = 120;

/** A text as one line that fits a title. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH - 1)}…` : line;
}
