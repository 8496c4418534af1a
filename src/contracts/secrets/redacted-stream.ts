import { begunLength } from "./begun-length.ts";
import type { Redactor } from "./redactor.ts";
import { PLACE_HINTS } from "./secret-places.ts";
import { SHAPE_HINTS } from "./secret-shapes.ts";

/** More text is not held back: no secret is that long. */
const MAX_HELD = 32_768;
/** How much of a line is searched for the name before a secret. */
const MAX_HEAD = 100;
/** How much of a word that has been shown is remembered. */
const MAX_SHOWN = 256;
/** The name of a header, after which its value comes as another word. */
const HEAD =
  /(?:authorization|bearer|[\w-]{0,20}(?:key|token|secret))["'\\]{0,3}[ \t]{0,8}[:=]?[ \t]{0,8}["'`\\]{0,3}(?:bearer|basic|token)?[ \t]{1,8}$/i;
/** A header whose value goes to the end of the line. */
const COOKIE = /cookie["'\\]{0,3}[ \t]{0,8}:[^\r\n]*$/i;
const BLOCK_BEGIN = "-----BEGIN ";
const BLOCK_END = /-----END [A-Z0-9 ]{0,60}-----/;
/** A word with one of these can be, or become, a secret. */
const SIGNS = [...new Set([...SHAPE_HINTS, ...PLACE_HINTS, BLOCK_BEGIN.trim()].map((sign) => sign.toLowerCase()))];

/**
 * Redacts a text that arrives in pieces. What could be the beginning of a secret is held back until the rest has arrived:
 * a word that looks like one, the name of a header before it, a private key that has begun.
 */
export class RedactedStream {
  readonly #redactor: Redactor;
  #held = "";
  /** The beginning of the last word, as far as it was shown: what follows is read together with it. */
  #shown = "";

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes the next piece; returns what can be shown. */
  push(piece: string): string {
    this.#held += piece;
    const whole = this.#held;
    const cut = this.#findCut();
    if (cut === 0) return "";
    const redacted = this.#redactor.text(this.#shown + whole.slice(0, cut));
    // A secret that is complete must not be cut either.
    if (cut < whole.length && !this.#redactor.text(this.#shown + whole).startsWith(redacted)) return "";
    this.#held = whole.slice(cut);
    return this.#show(redacted);
  }

  /** Returns what was held back, at the end of the text. */
  flush(): string {
    if (this.#held === "") return "";
    const redacted = this.#redactor.text(this.#shown + this.#held);
    this.#held = "";
    return this.#show(redacted);
  }

  /** @param redacted begins with what is shown already, unless that has turned out to be the beginning of a secret */
  #show(redacted: string): string {
    let length = 0;
    while (length < this.#shown.length && redacted[length] === this.#shown[length]) length++;
    this.#shown = redacted.slice(redacted.length - trailingWordLength(redacted)).slice(-MAX_SHOWN);
    return redacted.slice(length);
  }

  #findCut(): number {
    const held = this.#held;
    if (held.length > MAX_HELD) return held.length;
    const wordAt = held.length - trailingWordLength(held);
    let cut = this.#findCutInWord(wordAt);
    const head = held.slice(Math.max(0, wordAt - MAX_HEAD), wordAt);
    const headAt = HEAD.exec(head)?.index;
    if (headAt !== undefined) cut = Math.min(cut, wordAt - head.length + headAt);
    const lineAt = held.lastIndexOf("\n") + 1;
    const cookie = COOKIE.exec(held.slice(lineAt));
    if (cookie !== null) cut = Math.min(cut, lineAt + cookie.index);
    const block = held.lastIndexOf(BLOCK_BEGIN);
    const isOpen = block >= 0 && !BLOCK_END.test(held.slice(block));
    if (isOpen) cut = Math.min(cut, block);
    return Math.max(0, Math.min(cut, held.length - this.#redactor.begunLength(this.#shown + held)));
  }

  /** Where the last word must be cut: before it if it has a sign of a secret, or before the beginning of such a sign. */
  #findCutInWord(wordAt: number): number {
    const shown = wordAt === 0 ? this.#shown : "";
    const word = (shown + this.#held.slice(wordAt)).toLowerCase();
    if (SIGNS.some((sign) => word.includes(sign))) return wordAt;
    const begun = Math.max(0, ...SIGNS.map((sign) => begunLength(word, sign)));
    return Math.max(wordAt, this.#held.length - begun);
  }
}

function trailingWordLength(text: string): number {
  let start = text.length;
  while (start > 0 && !/\s/.test(text.charAt(start - 1))) start--;
  return text.length - start;
}
