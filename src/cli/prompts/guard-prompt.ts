import type { PromptStreams } from "./prompt-streams.ts";

/** How a question ended that nobody answered. */
export interface UnansweredPrompt {
  /** The person pressed Escape, or Ctrl+C, the signal withdrew the question, or there is no keyboard any more. */
  readonly type: "escape" | "cancel" | "withdrawn" | "closed";
}

/** What guards a question. */
export interface GuardPromptOptions {
  readonly streams: PromptStreams;
  /** Withdraws the question. */
  readonly signal: AbortSignal;
}

/**
 * Has a prompt of the library ask, and says how it ended: with what `ask` returns or, where that is nothing, with why. The
 * terminal is left as it was found, and nothing of the question outlives it.
 *
 * @param ask shows the prompt, which must end when its signal aborts
 */
export async function guardPrompt<T>(
  { streams: { input }, signal }: GuardPromptOptions,
  ask: (signal: AbortSignal) => Promise<T | undefined>,
): Promise<T | UnansweredPrompt> {
  if (signal.aborted) return { type: "withdrawn" };
  if (input.readableEnded || input.destroyed) return { type: "closed" };
  // The prompt listens to its signal for ever, and would change the terminal's mode under the next one.
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
