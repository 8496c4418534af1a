import { stripVTControlCharacters } from "node:util";

/**
 * Text from agents, files and tools, made harmless for a terminal: control sequences and control characters are gone,
 * except for line breaks and tabs.
 */
export function safeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
  return stripVTControlCharacters(text).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    "",
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
