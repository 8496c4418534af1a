import type { ChatEntry } from "../chat/chat-entry.ts";

/** What an entry that is not Markdown counts as: it is one or two texts, however long they are. */
const CARD_SIZE = 2;

/** More characters of a line than this count as another line. */
const LINE_LENGTH = 100;

const SIZES = new WeakMap<ChatEntry, number>();

/**
 * What an entry costs while it is mounted, in lines of Markdown. Each takes about 20 KB outside of JavaScript's heap: an item
 * of a list is four nodes of the layout and two text buffers. At least 1.
 */
export function sizeOf(entry: ChatEntry): number {
  const known = SIZES.get(entry);
  if (known !== undefined) return known;
  const isMarkdown = entry.type === "text" || (entry.type === "notice" && entry.isMarkdown);
  const size = isMarkdown ? Math.max(1, countLines(entry.text)) : CARD_SIZE;
  SIZES.set(entry, size);
  return size;
}

/** The lines that are not empty; a long one counts as several. */
function countLines(text: string): number {
  let count = 0;
  for (let start = 0; start < text.length; ) {
    const lineBreak = text.indexOf("\n", start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    count += Math.ceil((end - start) / LINE_LENGTH);
    start = end + 1;
  }
  return count;
}
