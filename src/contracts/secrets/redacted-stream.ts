import type { Redactor } from "./redactor.ts";

/** More text is not held back: no secret is that long. */
const MAX_HELD = 32_768;
/** How much of a line is searched for the name before a secret. */
const MAX_HEAD = 100;
/** The name of a header, after which its value comes as another word. */
const HEAD =
  /(?:authorization|bearer|[\w-]{0,20}(?:key|token|secret))["'\\]{0,3}[ \t]{0,8}[:=]?[ \t]{0,8}["'`\\]{0,3}(?:bearer|basic|token)?[ \t]{1,8}$/i;
/** A header whose value goes to the end of the line. */
const COOKIE = /cookie["'\\]{0,3}[ \t]{0,8}:[^\r\n]*$/i;
const BLOCK_BEGIN = "-----BEGIN ";
const BLOCK_END = /-----END [A-Z0-9 ]{0,60}-----/;

/**
 * Redacts a text that arrives in pieces. What could be the beginning of a secret is held back until the rest has arrived:
 * the last word, the name of a header before it, and a private key that has begun.
 */
export class RedactedStream {
  readonly #redactor: Redactor;
  #held = "";

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes the next piece; returns what can be shown. */
  push(piece: string): string {
    this.#held += piece;
    const whole = this.#held;
    const cut = this.#findCut();
    if (cut === 0) return "";
    const free = this.#redactor.text(whole.slice(0, cut));
    // A secret that is complete must not be cut either.
    if (cut < whole.length && free + this.#redactor.text(whole.slice(cut)) !== this.#redactor.text(whole)) return "";
    this.#held = whole.slice(cut);
    return free;
  }

  /** Returns what was held back, at the end of the text. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return rest === "" ? "" : this.#redactor.text(rest);
  }

  #findCut(): number {
    const held = this.#held;
    if (held.length > MAX_HELD) return held.length;
    let cut = held.length - trailingWordLength(held);
    const head = held.slice(Math.max(0, cut - MAX_HEAD), cut);
    cut -= head.length - (HEAD.exec(head)?.index ?? head.length);
    const lineAt = held.lastIndexOf("\n") + 1;
    const cookie = COOKIE.exec(held.slice(lineAt));
    if (cookie !== null) cut = Math.min(cut, lineAt + cookie.index);
    const block = held.lastIndexOf(BLOCK_BEGIN);
    const isOpen = block >= 0 && !BLOCK_END.test(held.slice(block));
    if (isOpen) cut = Math.min(cut, block);
    for (const secret of this.#redactor.spaced) cut = Math.min(cut, held.length - overlap(held, secret));
    return cut;
  }
}

function trailingWordLength(text: string): number {
  let start = text.length;
  while (start > 0 && !/\s/.test(text.charAt(start - 1))) start--;
  return text.length - start;
}

/** The length of the longest end of the text with which the secret begins. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
