/**
 * A record could not be appended to the journal: a full disk, or another process now owns the run. Not a failure of the
 * record's node: this process stops executing the run. The original error is the `cause`.
 */
export class JournalFailure extends Error {
  constructor(cause: unknown) {
    super("The journal did not take a record.", { cause });
  }
}

/** The cause of a {@link JournalFailure}; any other error itself. */
export function unwrapFailure(error: unknown): unknown {
  return error instanceof JournalFailure ? error.cause : error;
}
