/** How a request relates to the one that was shown before it. */
export interface AskPlace {
  /** 1 for the first of requests that follow each other. */
  readonly number: number;
  /** Whether the one before it vanished without an answer of the person. */
  readonly isReplacement: boolean;
}

/** A request that follows no other. */
export const FIRST_ASK: AskPlace = { number: 1, isReplacement: false };

/** A request that appears within this time after another one follows it, in milliseconds. */
const FOLLOW_MS = 3_000;

/** From this request of a row on, one Ctrl+C stops the turn. */
export const IN_A_ROW = 3;

/** Knows which requests follow each other on the screen: an answer to one must not go to the next. */
export class AskRow {
  readonly #now: () => number;
  #shown: { readonly id: string; readonly place: AskPlace } | undefined;
  #last: { readonly number: number; readonly at: number; readonly isAnswered: boolean } | undefined;
  #answered: string | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The person answers a request. */
  noteAnswer(id: string): void {
    this.#answered = id;
  }

  /** The place of the request that is shown now. Without one, the last of the row is gone. */
  show(id: string | undefined): AskPlace {
    if (this.#shown?.id === id) return this.#shown?.place ?? FIRST_ASK;
    if (this.#shown !== undefined) {
      const isAnswered = this.#answered === this.#shown.id;
      this.#last = { number: this.#shown.place.number, at: this.#now(), isAnswered };
      this.#shown = undefined;
    }
    if (id === undefined) return FIRST_ASK;
    const last = this.#last;
    const follows = last !== undefined && this.#now() - last.at <= FOLLOW_MS;
    const place = follows ? { number: last.number + 1, isReplacement: !last.isAnswered } : FIRST_ASK;
    this.#shown = { id, place };
    return place;
  }
}

/** What a title starts with: `Request 2: `, nothing for the first one. */
export function placeInTitle({ number }: AskPlace): string {
  return number === 1 ? "" : `Request ${number}: `;
}

/** What a person must know about the request before. Undefined when they answered it. */
export function aboutReplacement({ isReplacement }: AskPlace): string | undefined {
  return isReplacement ? "The request before was withdrawn. This is another one." : undefined;
}

/** How long keys after the first drawing are not meant for it: a person reacts to another request more slowly. In milliseconds. */
export function quietMsOf({ number }: AskPlace): number {
  return number === 1 ? 300 : 800;
}
