import { AtomicError } from "../../contracts/index.ts";

/** The fields of the state are declared otherwise than when the run got their values (E10). The journal is intact. */
export class StateChangedError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly differences: readonly string[],
    { remedy = CONVERT, ...options }: { readonly remedy?: string; readonly cause?: unknown } = {},
  ) {
    super(
      "STATE_CHANGED",
      `The run "${runId}" was started with other declarations of its state:\n${differences.map((line) => `  - ${line}`).join("\n")}\n${remedy}`,
      options,
    );
  }
}

const CONVERT = "Restore them, or raise stateVersion and convert the state of the run with migrateState.";
