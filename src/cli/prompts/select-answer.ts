import { visibleLine } from "../visible/visible-text.ts";
import type { PromptStreams } from "./prompt-streams.ts";

/** An answer in a list. */
export interface AnswerOption {
  readonly label: string;
  readonly hint?: string;
}

/** What an answer is selected with. */
export interface SelectAnswerOptions {
  readonly streams: PromptStreams;
  readonly message: string;
  readonly options: readonly AnswerOption[];
  /** The answer that is selected when something is typed that none begins with. @default it is not taken */
  readonly safe?: number;
  readonly signal?: AbortSignal;
}

/**
 * Has a person select an answer of a list, and gives its place; nothing when they leave. What is typed selects the answer
 * that begins with it: a word that is meant for a shell must never be taken for an answer that it does not say.
 */
export async function selectAnswer(asked: SelectAnswerOptions): Promise<number | undefined> {
  const { streams, message, options, signal } = asked;
  const { isCancel, select, settings } = await import("@clack/prompts");
  // To the library these letters are arrows.
  for (const letter of ["h", "j", "k", "l"]) settings.aliases.delete(letter);
  const typed = new TypedAnswer(asked);
  const answer = await typed.follow(() =>
    select({
      ...streams,
      // Read anew whenever the list is drawn.
      get message() {
        return typed.refused === undefined ? message : `${message}\n${explainRefusal(typed.refused)}`;
      },
      options: options.map((option, value) => ({ ...option, value })),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return isCancel(answer) ? undefined : answer;
}

function explainRefusal(text: string): string {
  return `No answer begins with "${visibleLine(text)}". Choose one with the arrow keys, or type how it begins.`;
}

interface Key {
  name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** What is typed while a list is on the screen. */
class TypedAnswer {
  readonly #asked: SelectAnswerOptions;
  #place = 0;
  #isMoving = false;
  #text = "";
  /** What was confirmed last, where no answer begins with it. */
  refused: string | undefined;

  constructor(asked: SelectAnswerOptions) {
    this.#asked = asked;
  }

  async follow<T>(ask: () => Promise<T>): Promise<T> {
    const { input } = this.#asked.streams;
    const onKey = (text: unknown, key: Key | undefined): void => {
      if (key?.name === "return" || key?.name === "enter") this.#confirm(key);
      else this.#take(typeof text === "string" ? text : "", key);
    };
    input.on("keypress", onKey);
    try {
      return await ask();
    } finally {
      input.off("keypress", onKey);
    }
  }

  /** The list hears of a key after this, and would take the answer that is selected: it must not see this one as Enter. */
  #confirm(key: Key): void {
    const isUnknown = this.#text !== "" && this.#asked.safe === undefined && this.#find() === undefined;
    this.refused = isUnknown ? this.#text : undefined;
    if (isUnknown) key.name = "";
    this.#text = "";
  }

  #take(text: string, { name, ctrl = false, meta = false }: Key = {}): void {
    const count = this.#asked.options.length;
    if (name === "up" || name === "left") this.#place = (this.#place + count - 1) % count;
    if (name === "down" || name === "right") this.#place = (this.#place + 1) % count;
    if (this.#isMoving) return;
    this.refused = undefined;
    if (name === "backspace") this.#text = this.#text.slice(0, -1);
    else if (!ctrl && !meta && /^\P{Control}+$/u.test(text)) this.#text += text;
    // Arrows count more than what was typed before.
    else this.#text = "";
    if (this.#text !== "") this.#moveTo(this.#find() ?? this.#asked.safe);
  }

  #find(): number | undefined {
    const wanted = this.#text.trim().toLowerCase();
    const found = this.#asked.options.findIndex(({ label }) => label.toLowerCase().startsWith(wanted));
    return found === -1 ? undefined : found;
  }

  /** As if the person had pressed an arrow: the list shows what is selected. */
  #moveTo(place: number | undefined): void {
    this.#isMoving = true;
    while (place !== undefined && this.#place !== place)
      this.#asked.streams.input.emit("keypress", "", { name: "down" });
    this.#isMoving = false;
  }
}
