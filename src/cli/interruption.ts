import type { CliEnvironment } from "./environment.ts";

/** Ctrl+C, and the other ways to ask a call to stop. */
export interface Interruption {
  /** Aborted as soon as somebody asks. */
  readonly signal: AbortSignal;
  /** Asks from within the program: where a prompt took the key, for example. */
  interrupt(): void;
  /** From here on signals end the process, as they do where nobody listens. */
  stopListening(): void;
}

/** What a person is told about an interruption. */
export interface InterruptionTexts {
  /** Says what happens now; called once. */
  readonly say: (line: string) => void;
  /** Tidies the screen and says how to go on: the process ends at once. Must not wait for anything. */
  readonly leave: () => void;
}

/** Listens for Ctrl+C. */
export function listenForInterruption(
  { onSignal }: Pick<CliEnvironment, "onSignal">,
  { say, leave }: InterruptionTexts,
): Interruption {
  const controller = new AbortController();
  const { signal } = controller;
  const interrupt = (): void => {
    if (signal.aborted) return;
    say("Stopping what runs; press Ctrl+C again to leave at once.");
    controller.abort(new Error("Interrupted"));
  };
  return { signal, interrupt, stopListening: onSignal(interrupt, leave) };
}
