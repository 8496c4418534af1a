/** The most that is kept of what is typed before the input is drawn, in characters. */
const MAX_LENGTH = 10_000;

/**
 * Keeps what a person types between the start of the program and the first drawing. Only text and its
 * line breaks: other keys, and what the terminal answers, are left out. Enter sends nothing: nobody has seen the text yet.
 */
export class EarlyInput {
  #text = "";
  #isOver = false;

  /** Receives what the terminal sends, piece by piece. Returns whether it keeps the piece. */
  readonly receive = (sequence: string): boolean => {
    if (this.#isOver) return false;
    if (sequence === "\u007f" || sequence === "\b") this.#text = this.#text.slice(0, -1);
    else if (sequence === "\r") this.#text = `${this.#text}\n`.slice(0, MAX_LENGTH);
    else if (isText(sequence)) this.#text = (this.#text + sequence).slice(0, MAX_LENGTH);
    else return false;
    return true;
  };

  /** Whether the UI receives the keys now. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What was typed. Afterwards, nothing more is kept. */
  readonly take = (): string => {
    this.#isOver = true;
    const text = this.#text.replace(/^\n+|\n+$/g, "");
    this.#text = "";
    return text;
  };
}

function isText(sequence: string): boolean {
  return sequence !== "" && !/[\p{Control}]/u.test(sequence);
}
