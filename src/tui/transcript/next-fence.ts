/** The start or the end of a code block. Three backticks with others after them in the line are code in a text. */
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;

/** The fence that is open after a line of Markdown. Its own file, because what shows links and what clips text need it. */
export function nextFence(open: string | undefined, line: string): string | undefined {
  const mark = FENCE.exec(line)?.[1];
  if (open === undefined) return mark;
  return mark?.startsWith(open) === true && line.trim() === mark ? undefined : open;
}
