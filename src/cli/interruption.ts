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

/** Listens for Ctrl+C. @param say tells the person what happens now, once */
export function listenForInterruption(
  { onSignal }: Pick<CliEnvironment, "onSignal">,
  say: (line: string) => void,
): Interruption {
  const controller = new AbortController();
  const { signal } = controller;
  const interrupt = (): void => {
    if (signal.aborted) return;
    say("Stopping what runs; press Ctrl+C again to leave at once.");
    controller.abort(new Error("Interrupted"));
  };
  return { signal, interrupt, stopListening: onSignal(interrupt) };
}
