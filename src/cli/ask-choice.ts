import type { PromptStreams } from "./ask-question.ts";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";

/** One of the answers that a person can choose. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
}

/** What a question is asked with. */
export interface AskChoiceOptions<T> {
  readonly streams: PromptStreams;
  readonly message: string;
  readonly choices: readonly Choice<T>[];
  /** Withdraws the question. */
  readonly signal: AbortSignal;
  /** What stands above the question: written when the keyboard is quiet. @default nothing */
  readonly text?: string;
}

/** What came of a question. */
export type ChoiceAnswer<T> =
  | { readonly type: "chosen"; readonly value: T }
  /** The person pressed Escape, or Ctrl+C, the signal withdrew the question, or there is no keyboard any more. */
  | { readonly type: "escape" | "cancel" | "withdrawn" | "closed" };

/**
 * Puts a question to the person at the terminal. Keys that were pressed before it is on the screen do not answer it. The
 * terminal is left as it was found, and nothing of the question outlives it.
 */
export async function askChoice<T>({
  streams,
  message,
  choices,
  signal,
  text = "",
}: AskChoiceOptions<T>): Promise<ChoiceAnswer<T>> {
  const { input, output } = streams;
  const { isCancel, select } = await import("@clack/prompts");
  const isClosed = (): boolean => input.readableEnded || input.destroyed;
  if (!(await waitForQuietKeyboard(input, signal))) return { type: "cancel" };
  if (signal.aborted) return { type: "withdrawn" };
  if (isClosed()) return { type: "closed" };
  output.write(text);
  // The prompt listens to its signal for ever, and would change the terminal's mode under the next one.
  const stop = new AbortController();
  const end: { type: "escape" | "cancel" | "withdrawn" | "closed" } = { type: "cancel" };
  const leave = (type: "withdrawn" | "closed") => () => {
    end.type = type;
    stop.abort();
  };
  const [withdraw, close] = [leave("withdrawn"), leave("closed")];
  const noteKey = (_text: unknown, key: { readonly name?: string } | undefined): void => {
    end.type = key?.name === "escape" ? "escape" : "cancel";
  };
  signal.addEventListener("abort", withdraw, { once: true });
  input.on("keypress", noteKey).once("end", close).once("close", close);
  try {
    const options = choices.map(({ label }, index) => ({ value: index, label }));
    const answer = await select<number>({ ...streams, message, options, signal: stop.signal });
    const chosen = isCancel(answer) ? undefined : choices[answer];
    return chosen === undefined ? end : { type: "chosen", value: chosen.value };
  } finally {
    signal.removeEventListener("abort", withdraw);
    input.off("keypress", noteKey).off("end", close).off("close", close);
  }
}
