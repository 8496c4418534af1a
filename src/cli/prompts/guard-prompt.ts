import type { PromptStreams } from "./prompt-streams.ts";

/** How an unanswered question ended. */
export interface UnansweredPrompt {
  /** Escape or Ctrl+C was pressed, the signal withdrew the question, or standard input closed. */
  readonly type: "escape" | "cancel" | "withdrawn" | "closed";
}

/** Settings of {@link guardPrompt}. */
export interface GuardPromptOptions {
  readonly streams: PromptStreams;
  /** Withdraws the question. */
  readonly signal: AbortSignal;
}

/**
 * Runs a prompt of the library. Returns what `ask` returns, or why there is no answer. Restores the terminal's mode, and
 * removes all listeners.
 *
 * @param ask shows the prompt, which must end when its signal aborts
 */
export async function guardPrompt<T>(
  { streams: { input }, signal }: GuardPromptOptions,
  ask: (signal: AbortSignal) => Promise<T | undefined>,
): Promise<T | UnansweredPrompt> {
  if (signal.aborted) return { type: "withdrawn" };
  if (input.readableEnded || input.destroyed) return { type: "closed" };
  // The library never removes its abort listener, which would change the terminal's mode during a later prompt.
  const stop = new AbortController();
  const end: { type: UnansweredPrompt["type"] } = { type: "cancel" };
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
    return (await ask(stop.signal)) ?? end;
  } finally {
    signal.removeEventListener("abort", withdraw);
    input.off("keypress", noteKey).off("end", close).off("close", close);
  }
}
