/**
 * The journal did not take a record, whatever the reason: a full disk, or a run that is another's by now. Not a failure of
 * the node it was about; the run's part in this process is over. The error itself is the `cause`.
 */
export class JournalFailure extends Error {
  constructor(cause: unknown) {
    super("The journal did not take a record.", { cause });
  }
}

/** The error behind a {@link JournalFailure}; any other error itself. */
export function unwrapFailure(error: unknown): unknown {
  return error instanceof JournalFailure ? error.cause : error;
}
