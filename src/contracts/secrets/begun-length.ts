/** The length of the longest end of the text with which another text begins that is longer. */
export function begunLength(text: string, other: string): number {
  const last = text.at(-1);
  if (last === undefined) return 0;
  for (
    let end = other.lastIndexOf(last, other.length - 2);
    end >= 0;
    end = end === 0 ? -1 : other.lastIndexOf(last, end - 1)
  ) {
    if (text.endsWith(other.slice(0, end + 1))) return end + 1;
  }
  return 0;
}

/** Where the last run of characters begins, none of which ends it. A pattern that ends with `$` would be quadratic. */
export function lastRunStart(text: string, ends: RegExp): number {
  let start = text.length;
  while (start > 0 && !ends.test(text.charAt(start - 1))) start--;
  return start;
}
