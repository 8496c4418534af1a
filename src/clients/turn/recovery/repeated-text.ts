/**
 * Receives the text of a restarted answer and returns what the reader has not seen yet, so that a model that repeats itself
 * is not shown twice. As soon as the answer differs from the earlier one, all of it is returned, in its own paragraph.
 */
export class RepeatedText {
  readonly #given: string;
  #text = "";
  #isThrough: boolean;

  /** @param given what the reader has seen */
  constructor(given: string) {
    this.#given = given;
    this.#isThrough = given === "";
  }

  /** Whether the answer is held back as long as it repeats the earlier one. */
  get isHeldBack(): boolean {
    return !this.#isThrough;
  }

  /** The text to pass on after this addition; often none. */
  push(text: string): string {
    if (this.#isThrough) {
      this.#text += text;
      return text;
    }
    // An answer that starts again can begin with an empty line.
    this.#text += this.#text === "" ? text.replace(/^\n+/, "") : text;
    if (this.#text.startsWith(this.#given)) {
      this.#isThrough = true;
      return this.#text.slice(this.#given.length);
    }
    return this.#given.startsWith(this.#text) ? "" : this.flush();
  }

  /** The text that was held back, once it certainly differs: something else follows it, or nothing. */
  flush(): string {
    if (this.#isThrough || this.#text === "") return "";
    this.#isThrough = true;
    return `\n\n${this.#text}`;
  }

  /** Prepares for the next start of the answer, after this one was interrupted. */
  restart(): RepeatedText {
    return new RepeatedText(this.#isThrough ? this.#text : this.#given);
  }
}
