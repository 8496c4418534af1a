import { visibleLine } from "../../view/index.ts";
import type { PromptStreams } from "./prompt-streams.ts";

/** An answer in a list. */
export interface AnswerOption {
  readonly label: string;
  readonly hint?: string;
}

/** Settings of {@link selectAnswer}. */
export interface SelectAnswerOptions {
  readonly streams: PromptStreams;
  readonly message: string;
  readonly options: readonly AnswerOption[];
  /** The answer selected by text that matches no label. @default such text is rejected */
  readonly safe?: number;
  readonly signal?: AbortSignal;
}

/**
 * Lets a person select an answer from a list. Returns its index, or undefined when they leave. Typed text selects the answer
 * that starts with it; text that was meant for a shell must never select another answer.
 */
export async function selectAnswer(asked: SelectAnswerOptions): Promise<number | undefined> {
  const { streams, message, options, signal } = asked;
  const { isCancel, select, settings } = await import("@clack/prompts");
  // The library treats these letters as arrow keys.
  for (const letter of ["h", "j", "k", "l"]) settings.aliases.delete(letter);
  const typed = new TypedAnswer(asked);
  const answer = await typed.follow(() =>
    select({
      ...streams,
      // The library reads it on every redraw.
      get message() {
        return typed.rejected === undefined ? message : `${message}\n${explainRejection(typed.rejected)}`;
      },
      options: options.map((option, value) => ({ ...option, value })),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return isCancel(answer) ? undefined : answer;
}

function explainRejection(text: string): string {
  return `No answer starts with "${visibleLine(text)}". Use the arrow keys, or type the start of an answer.`;
}

interface Key {
  name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** The text typed while a list is on the screen. */
class TypedAnswer {
  readonly #asked: SelectAnswerOptions;
  #place = 0;
  #isMoving = false;
  #text = "";
  /** The text confirmed last, when no answer starts with it. */
  rejected: string | undefined;

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

  /** Runs before the list's own listener. Rejected text must not reach it as Enter, which would take the selected answer. */
  #confirm(key: Key): void {
    const isUnknown = this.#text !== "" && this.#asked.safe === undefined && this.#find() === undefined;
    this.rejected = isUnknown ? this.#text : undefined;
    if (isUnknown) key.name = "";
    this.#text = "";
  }

  #take(text: string, { name, ctrl = false, meta = false }: Key = {}): void {
    const count = this.#asked.options.length;
    if (name === "up" || name === "left") this.#place = (this.#place + count - 1) % count;
    if (name === "down" || name === "right") this.#place = (this.#place + 1) % count;
    if (this.#isMoving) return;
    this.rejected = undefined;
    if (name === "backspace") this.#text = this.#text.slice(0, -1);
    else if (!ctrl && !meta && /^\P{Control}+$/u.test(text)) this.#text += text;
    // An arrow key discards the typed text.
    else this.#text = "";
    if (this.#text !== "") this.#moveTo(this.#find() ?? this.#asked.safe);
  }

  #find(): number | undefined {
    const wanted = this.#text.trim().toLowerCase();
    const found = this.#asked.options.findIndex(({ label }) => label.toLowerCase().startsWith(wanted));
    return found === -1 ? undefined : found;
  }

  /** Emits arrow keys, so that the list shows the selection. */
  #moveTo(place: number | undefined): void {
    this.#isMoving = true;
    while (place !== undefined && this.#place !== place)
      this.#asked.streams.input.emit("keypress", "", { name: "down" });
    this.#isMoving = false;
  }
}
