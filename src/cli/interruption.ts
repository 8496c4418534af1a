import type { CliEnvironment, StopSignal } from "./environment.ts";
import { ExitCode } from "./exit-code.ts";

/** Ctrl+C and the other signals that stop a call. */
export interface Interruption {
  /** Aborted by the first interruption. */
  readonly signal: AbortSignal;
  /** Interrupts from within the program, for example when a prompt reads Ctrl+C as a key. */
  interrupt(): void;
  /** After this, signals end the process. */
  stopListening(): void;
}

/** What an interruption prints. */
export interface InterruptionTexts {
  /** Reports the interruption; called once. */
  readonly say: (line: string) => void;
  /** Tidies the screen and prints how to resume, just before the process ends. Must not wait. */
  readonly leave: () => void;
}

/** Listens for Ctrl+C. */
export function listenForInterruption(
  { onSignal }: Pick<CliEnvironment, "onSignal">,
  { say, leave }: InterruptionTexts,
): Interruption {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (name: StopSignal): void => {
    if (signal.aborted) return;
    // Only Ctrl+C sends SIGINT; `atomic runs cancel` and other programs send SIGTERM.
    const isHere = name === "SIGINT";
    say(
      isHere
        ? "Stopping what runs; press Ctrl+C again to leave at once."
        : `Asked to end from elsewhere (${name}); stopping what runs.`,
    );
    controller.abort(new Error("Interrupted"));
  };
  return { signal, interrupt: () => stop("SIGINT"), stopListening: onSignal(stop, leave) };
}

/** Ctrl+C withdraws a pending command, so that a later process does not execute it. */
export async function untilInterrupted(
  environment: Pick<CliEnvironment, "onSignal">,
  action: (signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interruption = new AbortController();
  const stopListening = environment.onSignal(() => interruption.abort());
  try {
    return await action(interruption.signal);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    return ExitCode.cancelled;
  } finally {
    stopListening();
  }
}
