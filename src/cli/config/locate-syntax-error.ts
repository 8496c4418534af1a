import { messageOf } from "../../contracts/index.ts";

/** Behind so many characters only the line is looked for: the column takes a parse for each character of the line. */
const MAX_SCANNED = 5_000;

/**
 * Where a text cannot be parsed, as `line 3, column 11`, for parsers that do not tell. All beginnings of it that reach as
 * far as the mistake fail with the same message, and those that end before it with another one, or not at all.
 *
 * @param parse refuses the text
 */
export function locateSyntaxError(text: string, parse: (text: string) => unknown): string {
  const message = refusalOf(text, parse) ?? "";
  if (/end of (?:file|input)/.test(message)) return formatPlace(text, text.trimEnd().length);
  const isRefused = (end: number): boolean => refusalOf(text.slice(0, end), parse) === message;
  const ends = [...text.matchAll(/\n|$/g)].map(({ index }) => index);
  const line = firstIndex(ends.length, (index) => isRefused(ends[index] ?? text.length));
  const start = line === 0 ? 0 : (ends[line - 1] ?? 0) + 1;
  let end = ends[line] ?? text.length;
  if (end > MAX_SCANNED) return `line ${line + 1}`;
  while (end > start && isRefused(end - 1)) end--;
  const [, found = ""] = /(?:found "|Unexpected )(.+?)"?$/s.exec(message) ?? [];
  const isNamed = found !== "" && text.slice(start, end).endsWith(found);
  return formatPlace(text, isNamed ? end - found.length : Math.max(start, end - 1));
}

function refusalOf(text: string, parse: (text: string) => unknown): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The first index from which on something holds. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function formatPlace(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")}`;
}
