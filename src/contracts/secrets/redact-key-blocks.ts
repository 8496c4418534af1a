import { begunLength } from "./begun-length.ts";
import { labelOf } from "./label.ts";

/** The first line of a private key in PEM or PGP. */
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** A line break: a real one, or one in a text of JSON. In a diff, the line has a mark. */
const BREAK = String.raw`(?:\r?\n|\\r\\n|\\n)[ \t]{0,16}[-+>|]?[ \t]{0,16}`;
/** A line of the key's content, of a header such as `Proc-Type: 4,ENCRYPTED`, or an empty one. */
const LINE = new RegExp(`${BREAK}(?:[A-Za-z-]{1,24}: [^\\r\\n\\\\]{0,200}|[A-Za-z0-9+/=]{0,4096})`, "y");
const END = new RegExp(`(?:${BREAK})?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`, "y");
/** Content in the first line itself. */
const REST = /[ \t]{0,16}[A-Za-z0-9+/= ]*/y;
/** Fewer characters are no key: the text is about the line that begins one. */
const MIN_CONTENT = 16;
/** The end of a text in which the first line of a private key, and of nothing else, may have begun. */
const BEGUN = /-----BEGIN (?:[A-Z0-9 ]{0,60}|[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{1,4})$/;
const MAX_BEGUN = 80;
/** So many characters after the content can become another line of it, or the last one. */
const MAX_LINE = 300;

/** Replaces private keys, whole ones and those whose end is missing. Linear: each line is read once. */
export function redactKeyBlocks(text: string): string {
  let result = "";
  let copied = 0;
  for (const { at, contentAt, contentEnd, end = contentEnd } of keyBlocks(text)) {
    if (contentEnd - contentAt < MIN_CONTENT) continue;
    result += text.slice(copied, at) + labelOf();
    copied = end;
  }
  return result + text.slice(copied);
}

/** Where the end of a text may have begun a private key: its length if nowhere. */
export function findBegunKeyBlock(text: string): number {
  const block = keyBlocks(text).at(-1);
  if (block !== undefined && block.end === undefined) {
    const rest = text.slice(block.contentEnd);
    // Only what follows the content shows that the key is over.
    if (rest.length <= MAX_LINE && !rest.includes("\n")) return block.at;
  }
  const line = text.slice(-MAX_BEGUN);
  const begin = BEGUN.exec(line);
  return text.length - (begin === null ? begunLength(line, "-----BEGIN ") : line.length - begin.index);
}

interface KeyBlock {
  readonly at: number;
  readonly contentAt: number;
  readonly contentEnd: number;
  /** Absent without a last line. */
  readonly end?: number;
}

function keyBlocks(text: string): readonly KeyBlock[] {
  if (!text.includes("PRIVATE KEY")) return [];
  const blocks: KeyBlock[] = [];
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const contentAt = BEGIN.lastIndex;
    const contentEnd = skipContent(text, contentAt);
    END.lastIndex = contentEnd;
    const hasEnd = END.test(text);
    const end = END.lastIndex;
    blocks.push({ at: begin.index, contentAt, contentEnd, ...(hasEnd ? { end } : {}) });
    BEGIN.lastIndex = hasEnd ? end : contentEnd;
  }
  return blocks;
}

function skipContent(text: string, from: number): number {
  REST.lastIndex = from;
  let position = REST.test(text) ? REST.lastIndex : from;
  for (;;) {
    END.lastIndex = position;
    LINE.lastIndex = position;
    if (END.test(text) || !LINE.test(text) || LINE.lastIndex === position) return position;
    position = LINE.lastIndex;
  }
}
