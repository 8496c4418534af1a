import { AtomicError } from "../../../contracts/index.ts";

/** A script used one of its functions in a way that does not work. */
export class ScriptUsageError extends AtomicError {
  /** A retry would run the same code. */
  readonly isRetryable = false;

  constructor(problem: string) {
    super("SCRIPT_USAGE", problem);
  }
}

/** A script started too many agents, or its budget is spent. */
export class ScriptLimitError extends AtomicError {
  readonly isRetryable = false;

  constructor(problem: string) {
    super("SCRIPT_LIMIT", problem);
  }
}

/** A call of a script failed: a command could not start, or a workflow failed. */
export class ScriptCallError extends AtomicError {
  constructor(call: string, cause: Error) {
    super("SCRIPT_CALL_FAILED", `${call} failed: ${cause.message}`, { cause });
  }
}

/** The process that runs a script ended before the script did. A retry may succeed. */
export class ScriptProcessError extends AtomicError {
  constructor(problem: string) {
    super("SCRIPT_PROCESS_ENDED", problem);
  }
}

/** The body of a script threw. */
export class ScriptFailedError extends AtomicError {
  readonly isRetryable = false;

  constructor(message: string, options: { readonly cause: unknown; readonly stack?: string | undefined }) {
    super("SCRIPT_FAILED", message, { cause: options.cause });
    if (options.stack !== undefined) this.stack = options.stack;
  }
}
