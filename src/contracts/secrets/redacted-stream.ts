import { LABEL, labelOf } from "./label.ts";
import { findBegunKeyBlock } from "./redact-key-blocks.ts";
import { noRedaction, type Redactor } from "./redactor.ts";
import { findBegunValue } from "./secret-places.ts";
import { findBegunShape } from "./secret-shapes.ts";

/** If more is held back, a part of it is shown or dropped. */
const MAX_HELD = 8_192;
/** A secret that begins in this part of what is held back may still be incomplete. */
const MAX_INCOMPLETE = MAX_HELD / 2;
/** What is held back is searched again when it is longer by this part of it: the time stays linear. */
const GROWTH = 1 / 32;
/** How much of what has been shown is remembered: no name of a header, and no label, is longer. */
const MAX_SHOWN = 128;

/**
 * Redacts a text that arrives in pieces. Together, the pieces that it returns are the redaction of the whole text.
 *
 * 1. What may be the beginning of a secret is held back until the rest has arrived, and everything after it.
 * 2. What is shown is how the redacted text begins, whatever arrives next.
 * 3. What is shown is remembered as far as the rules look back: the name of a header says what its value is.
 * 4. The time for a piece does not depend on how much has arrived before.
 */
export class RedactedStream {
  readonly #redactor: Redactor;
  #held = "";
  /** The end of what was shown. */
  #shown = "";
  /** What is held back is searched again when it is longer. */
  #searchedLength = 0;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes the next piece; returns what can be shown. */
  push(piece: string): string {
    if (this.#redactor === noRedaction) return piece;
    this.#held += piece;
    if (this.#held.length <= this.#searchedLength) return "";
    const text = this.#shown + this.#held;
    const shown = this.#showTo(this.#findBegun(text), text);
    this.#searchedLength = Math.floor(this.#held.length * (1 + GROWTH));
    return shown;
  }

  /** Returns what was held back, at the end of the text. */
  flush(): string {
    return this.#show(this.#redactor.text(this.#shown + this.#held), "");
  }

  /** Where the end of a text may have begun a secret. */
  #findBegun(text: string): number {
    const knownAt = text.length - this.#redactor.begunLength(text);
    return Math.min(knownAt, findBegunShape(text), findBegunValue(text), findBegunKeyBlock(text));
  }

  #showTo(cut: number, text: string): string {
    if (cut > this.#shown.length) {
      const redacted = this.#redactor.text(text.slice(0, cut));
      if (this.#isBetween(redacted, text, cut)) return this.#show(redacted, text.slice(cut));
    }
    return this.#held.length > MAX_HELD ? this.#relieve(text) : "";
  }

  /** Whether a place in the text is in no secret, so that what comes before it and after it can be redacted one by one. */
  #isBetween(redacted: string, text: string, cut: number): boolean {
    if (cut === text.length) return true;
    const whole = this.#redactor.text(text);
    return whole.startsWith(redacted) && this.#redactor.text(redacted + text.slice(cut)) === whole;
  }

  /** Shows a part of what has been held back for too long, or drops it if it is the middle of a secret. */
  #relieve(text: string): string {
    // Only a whole secret is recognised by its value.
    if (this.#redactor.begunLength(text) > MAX_SHOWN) return "";
    const shorter = this.#withoutMiddle(text);
    if (shorter !== undefined) {
      this.#held = shorter.slice(this.#shown.length);
      return "";
    }
    // What began earlier is no secret: it would be complete by now.
    const from = text.length - MAX_INCOMPLETE;
    const cut = from + this.#findBegun(text.slice(from));
    const redacted = this.#redactor.text(text.slice(0, cut));
    if (this.#isBetween(redacted, text, cut)) return this.#show(redacted, text.slice(cut));
    const whole = this.#redactor.text(text);
    return this.#show(whole.split(LABEL).at(-1) === "" ? whole : this.#shown + labelOf(), "");
  }

  /** The text without the latest part of an incomplete secret, if that changes nothing in its redaction. */
  #withoutMiddle(text: string): string | undefined {
    const redacted = this.#redactor.text(text);
    const rest = redacted.split(LABEL).at(-1) ?? "";
    if (rest.length > MAX_SHOWN) return undefined;
    // What can be a line break or the last line of a key must stay whole.
    const tail = text.slice(endOfWord(text.slice(0, text.length - rest.length)));
    for (let length = MAX_INCOMPLETE; length >= MAX_SHOWN; length /= 2) {
      const head = text.slice(0, text.length - length);
      const shorter = head.slice(0, endOfWord(head)) + tail;
      if (shorter.length > this.#shown.length && this.#redactor.text(shorter) === redacted) return shorter;
    }
    return undefined;
  }

  /** @param redacted begins with what is shown already, unless a secret was learned since */
  #show(redacted: string, held: string): string {
    let length = 0;
    while (length < this.#shown.length && redacted[length] === this.#shown[length]) length++;
    // A digit: a part of a word must not become one that is a token.
    this.#shown = redacted.length > MAX_SHOWN ? `0${redacted.slice(-MAX_SHOWN)}` : redacted;
    this.#held = held;
    return redacted.slice(length);
  }
}

/** Where the last letter or digit of a text ends. That of a line break in JSON is none. */
function endOfWord(text: string): number {
  let end = text.length;
  while (end > 0 && (!/[A-Za-z0-9]/.test(text.charAt(end - 1)) || /\\[nr]/.test(text.slice(end - 2, end)))) end--;
  return end;
}
