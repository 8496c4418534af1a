import { stripVTControlCharacters } from "node:util";

/** Control characters, and those that turn the direction of writing, so that text looks other than it is. */
const UNSAFE_CHARACTERS = /[\p{Control}\p{Bidi_Control}]/gu;

/**
 * Text from agents, files and tools, made harmless for a terminal: control sequences, control characters and marks of
 * the direction of writing are gone, except for line breaks and tabs.
 */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replace(UNSAFE_CHARACTERS, (character) =>
    character === "\n" || character === "\t" ? character : "",
  );
}

/** The same, in one line of at most so many columns. */
export function safeLine(text: string, maxColumns: number): string {
  const line = safeText(text).replace(/\s+/g, " ").trim();
  if (Bun.stringWidth(line) <= maxColumns) return line;
  let kept = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    width += Bun.stringWidth(segment);
    if (width > maxColumns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Pads with spaces to a width in columns, whatever the width of the characters. */
export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - Bun.stringWidth(text)));
}
