import { AtomicError } from "../contracts/index.ts";

/** The state of a run cannot be changed as it stands: a process executes it, or it is completed. */
export class RunNotEditableError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly status: "running" | "completed",
    options?: ErrorOptions,
  ) {
    const reason =
      status === "running"
        ? `is in progress. Pause it first, with control.pause() or: atomic runs pause ${runId}`
        : "is completed and stays as it is. Start a new run from a moment of it with fork().";
    super("RUN_NOT_EDITABLE", `The run "${runId}" ${reason}`, options);
  }
}
