import { mostColumnsOf } from "../../view/permissions.ts";

/** Wraps a text between words, and words that are too long within. Keeps its line breaks and indentation. */
export function wrapText(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, columns));
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  // Each word with the spaces before it.
  for (const word of line.trimEnd().match(/\s*\S+/g) ?? []) {
    if (mostColumnsOf(current + word) <= columns) current += word;
    else {
      const isFirst = current === "";
      if (!isFirst) lines.push(current);
      const parts = wrapExactly(isFirst ? word : word.trimStart(), columns);
      lines.push(...parts.slice(0, -1));
      current = parts.at(-1) ?? "";
    }
  }
  return [...lines, current];
}

/** Wraps a line at any character, exactly where the columns end: between words, spaces could be hidden. */
export function wrapExactly(line: string, columns: number): readonly string[] {
  const width = Math.max(2, columns);
  if (/^[ -~]*$/.test(line)) return line.match(new RegExp(`.{1,${width}}`, "g")) ?? [""];
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const segmentWidth = mostColumnsOf(segment);
    if (used + segmentWidth > width) {
      lines.push(current);
      current = "";
      used = 0;
    }
    current += segment;
    used += segmentWidth;
  }
  return [...lines, current];
}
