import { AtomicError } from "../../../contracts/index.ts";

/** Errors that concern an agent's account, and that another agent need not have. */
const LIMITS: ReadonlySet<string> = new Set(["RATE_LIMITED", "NOT_SIGNED_IN"]);

/** Whether an error is a limit of an agent's account. */
export function isLimit(error: unknown): error is AtomicError {
  return error instanceof AtomicError && LIMITS.has(error.code);
}

/** How much of what an agent said a hand-over quotes, in characters. */
const MAX_QUOTE_LENGTH = 4_000;

/** A limit of the agent's account stopped its task, and the settings want that to stop the run. */
export class LimitReachedError extends AtomicError {
  readonly isRetryable = false;

  constructor(cause: AtomicError) {
    super(cause.code, cause.message, { cause });
  }
}

/** The hand-over to the next agent. */
export function describeHandOver(reason: string, said: string): string {
  const end = said.trim().slice(-MAX_QUOTE_LENGTH);
  return [
    `Another agent began this task and had to stop: ${reason}`,
    "What it did is in your working folder. Look at it first, for example with git status and git diff, and continue from there.",
    ...(end === "" ? [] : ["The end of what it said:", "<said>", end, "</said>"]),
  ].join("\n");
}
