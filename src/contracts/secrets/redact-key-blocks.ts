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

/** Replaces private keys, whole ones and those whose end is missing. Linear: each line is read once. */
export function redactKeyBlocks(text: string): string {
  if (!text.includes("PRIVATE KEY")) return text;
  let result = "";
  let copied = 0;
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const contentAt = BEGIN.lastIndex;
    const contentEnd = skipContent(text, contentAt);
    END.lastIndex = contentEnd;
    const end = END.test(text) ? END.lastIndex : contentEnd;
    BEGIN.lastIndex = Math.max(end, contentAt);
    if (contentEnd - contentAt < MIN_CONTENT) continue;
    result += text.slice(copied, begin.index) + labelOf();
    copied = end;
  }
  return result + text.slice(copied);
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
