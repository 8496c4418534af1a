import { AtomicError } from "../../contracts/index.ts";

/** A run has begun, and what it did is not to be found: to begin it again would repeat everything. */
export class JournalMissingError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly sessionDir: string,
  ) {
    super(
      "JOURNAL_MISSING",
      `The journal of the run "${runId}" in ${sessionDir} is missing, empty, or another run's. Put the right one back; without it nobody knows what the run has done, and it cannot go on. To do everything again, start a new run.`,
    );
  }
}
