/** Objects and lists in a settings file may be nested so deep. */
export const MAX_JSON_DEPTH = 100;

/**
 * The place of the first object or list in JSON, comments allowed, that is nested deeper than {@link MAX_JSON_DEPTH}; undefined
 * if there is none. Parsers and what checks their values call themselves for each level, which takes long and exhausts the
 * stack. Linear in the text, which need not be valid. Pure.
 */
export function findDeepNesting(text: string, maxDepth = MAX_JSON_DEPTH): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "/") at = endOfComment(text, at);
    else if (character === "]" || character === "}") depth--;
    else if (character === "[" || character === "{") {
      depth++;
      if (depth > maxDepth) return at;
    }
  }
  return undefined;
}

/** The place of the closing quote; of the end of the line if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"' || text[at] === "\n") return at;
  }
  return text.length;
}

/** The last place of a comment; the start itself if there is none. */
function endOfComment(text: string, start: number): number {
  const next = text[start + 1];
  if (next !== "/" && next !== "*") return start;
  const end = next === "/" ? text.indexOf("\n", start) : text.indexOf("*/", start + 2) + 1;
  return end <= 0 ? text.length : end;
}
