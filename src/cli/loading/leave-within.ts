import { AtomicError } from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { describeLastWords } from "./describe-last-words.ts";
import { withWatchdog } from "./watchdog.ts";

/** Code of a workflow or a tool listens to the end of the process, and did not return. */
export class ExitListenerTimeoutError extends AtomicError {
  constructor(readonly timeoutMs: number) {
    super(
      "EXIT_LISTENER_TIMEOUT",
      `Everything is done, but a listener of process.on("exit") in the code of a workflow or a tool did not return within ${timeoutMs} ms. Remove it, or look for a loop in it.`,
    );
  }
}

/** Ends the process, also if a listener of its end never returns. */
export async function leaveWithin(
  timeoutMs: number,
  leave: () => never,
  environment: Pick<CliEnvironment, "args" | "stdout" | "stderr">,
): Promise<never> {
  const lastWords = describeLastWords(new ExitListenerTimeoutError(timeoutMs), environment);
  return await withWatchdog(leave, { timeoutMs, lastWords });
}
