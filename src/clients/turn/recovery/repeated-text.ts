/**
 * Takes the text of an answer that was begun before, and lets through what the reader has not seen yet: a model that says
 * the same again is not heard twice. As soon as the answer differs from the earlier one, all of it comes, in a paragraph
 * of its own.
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

  /** The text to pass on when this much more has come; often none. */
  push(text: string): string {
    this.#text += text;
    if (this.#isThrough) return text;
    if (this.#text.startsWith(this.#given)) {
      this.#isThrough = true;
      return this.#text.slice(this.#given.length);
    }
    return this.#given.startsWith(this.#text) ? "" : this.flush();
  }

  /** The text that was held back, when it is certain that it differs: something else follows it, or nothing. */
  flush(): string {
    if (this.#isThrough || this.#text === "") return "";
    this.#isThrough = true;
    return `\n\n${this.#text}`;
  }

  /** For the next beginning of the answer, after this one was interrupted. */
  restart(): RepeatedText {
    return new RepeatedText(this.#isThrough ? this.#text : this.#given);
  }
}
