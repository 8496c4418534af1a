import { messageOf } from "../../contracts/index.ts";
import type { TerminalProcess } from "./terminal-process.ts";

/** Why the UI ends without the user's wish. */
export type ExitCause =
  | { readonly type: "signal"; readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT" }
  | { readonly type: "failure"; readonly error: unknown };

/** Settings of {@link guardExit}. */
export interface ExitGuardOptions {
  /** Makes the terminal as it was. Called at least once before the process ends; has to allow further calls. */
  readonly restore: () => void;
  /** The first SIGINT. A second one within 2 seconds ends the process. */
  readonly onInterrupt?: (() => void) | undefined;
  /** SIGTSTP from outside. */
  readonly onStop?: (() => void) | undefined;
  /** Ends agents and sessions. The process waits for it, up to 3 seconds or the next signal. */
  readonly onEnd?: ((cause: ExitCause) => void | Promise<void>) | undefined;
  /** The current time, in milliseconds. */
  readonly now: () => number;
}

/** A second SIGINT within this time ends the process, in milliseconds. */
export const SECOND_INTERRUPT_MS = 2_000;

/** How long {@link ExitGuardOptions.onEnd} may take, in milliseconds. */
const END_TIMEOUT_MS = 3_000;

/** The exit codes of shells: 128 and the number of the signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;

/**
 * Restores the terminal however the process ends: signals, exceptions, unhandled rejections and `process.exit()`. Returns a
 * function that removes the guard.
 */
export function guardExit(process: TerminalProcess, options: ExitGuardOptions): () => void {
  const guard = new ExitGuard(process, options);
  const removers = [
    guard.listen(),
    process.onFailure((error) => guard.end({ type: "failure", error })),
    process.onSignal("SIGINT", () => guard.interrupt()),
    process.onSignal("SIGTSTP", () => options.onStop?.()),
  ];
  return () => {
    for (const remove of removers) remove();
  };
}

/** Like {@link guardExit}, where SIGINT, SIGTSTP and failures are handled elsewhere. */
export function guardTermination(
  process: TerminalProcess,
  options: Omit<ExitGuardOptions, "onInterrupt" | "onStop">,
): () => void {
  return new ExitGuard(process, options).listen();
}

class ExitGuard {
  readonly #process: TerminalProcess;
  readonly #options: ExitGuardOptions;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #isEnding = false;

  constructor(process: TerminalProcess, options: ExitGuardOptions) {
    this.#process = process;
    this.#options = options;
  }

  /** Listens for the end of the process, SIGTERM, SIGHUP and SIGQUIT. Returns a function that stops listening. */
  listen(): () => void {
    const removers = [
      this.#process.onExit(() => this.#options.restore()),
      this.#process.onSignal("SIGTERM", () => this.end({ type: "signal", signal: "SIGTERM" })),
      this.#process.onSignal("SIGQUIT", () => this.end({ type: "signal", signal: "SIGQUIT" })),
      this.#process.onSignal("SIGHUP", () => this.end({ type: "signal", signal: "SIGHUP" })),
    ];
    return () => {
      for (const remove of removers) remove();
    };
  }

  interrupt(): void {
    const { now, onInterrupt } = this.#options;
    const isSecond = now() - this.#interruptedAt <= SECOND_INTERRUPT_MS;
    this.#interruptedAt = now();
    if (isSecond || onInterrupt === undefined) this.end({ type: "signal", signal: "SIGINT" });
    else onInterrupt();
  }

  end(cause: ExitCause): void {
    const { restore, onEnd } = this.#options;
    const exitCode = cause.type === "signal" ? EXIT_CODES[cause.signal] : 1;
    restore();
    // A second signal, or a failure while the agents end.
    if (this.#isEnding) return this.#process.exit(exitCode);
    this.#isEnding = true;
    if (cause.type === "failure") {
      this.#process.writeError(`atomic: The chat ended because of an error: ${messageOf(cause.error)}`);
    }
    const timer = setTimeout(() => this.#process.exit(exitCode), END_TIMEOUT_MS);
    void Promise.resolve()
      .then(() => onEnd?.(cause))
      .catch((error: unknown) => this.#process.writeError(`atomic: ${messageOf(error)}`))
      .finally(() => {
        clearTimeout(timer);
        this.#process.exit(exitCode);
      });
  }
}
