import { AtomicError, messageOf } from "../../contracts/index.ts";

/** A text is not a valid session identifier. */
export class InvalidSessionIdError extends AtomicError {
  constructor(
    readonly sessionId: string,
    /** A name that is probably meant. */
    readonly nearest?: string,
  ) {
    const meant = nearest === undefined ? "" : `Did you mean "${nearest}"? Otherwise use`;
    super(
      "WORKFLOW_SESSION_ID_INVALID",
      `${JSON.stringify(sessionId)} cannot identify a session. ${meant === "" ? "Use" : meant} 4 to 64 lower-case letters, digits, "-" and "_".`,
    );
  }
}

/** No session has this identifier, or begins with it. */
export class WorkflowSessionNotFoundError extends AtomicError {
  constructor(
    readonly sessionId: string,
    /** Sessions with similar identifiers. */
    readonly candidates: readonly string[],
    { areThereOthers = false }: { readonly areThereOthers?: boolean } = {},
  ) {
    const others = areThereOthers ? "None resembles it; list them with: atomic runs list" : "There are no runs yet.";
    const known = candidates.length > 0 ? `Perhaps you mean: ${candidates.join(", ")}.` : others;
    super("WORKFLOW_SESSION_NOT_FOUND", `No run is named "${sessionId}". ${known}`);
  }
}

/** Several sessions begin with this text. */
export class AmbiguousSessionIdError extends AtomicError {
  constructor(
    readonly prefix: string,
    readonly candidates: readonly string[],
  ) {
    const shown = candidates.slice(0, 10).join(", ");
    const more = candidates.length > 10 ? ` and ${candidates.length - 10} more` : "";
    super(
      "WORKFLOW_SESSION_AMBIGUOUS",
      `${candidates.length} runs begin with "${prefix}": ${shown}${more}. Type more of the identifier.`,
    );
  }
}

/** A session with this identifier exists already. */
export class WorkflowSessionExistsError extends AtomicError {
  constructor(
    readonly sessionId: string,
    readonly directory: string,
  ) {
    super(
      "WORKFLOW_SESSION_EXISTS",
      `A session "${sessionId}" exists already, in ${directory}. Resume it, remove it, or choose another identifier.`,
    );
  }
}

/** The file that describes a session is broken. */
export class BrokenSessionError extends AtomicError {
  constructor(
    readonly path: string,
    readonly problems: readonly string[],
    options?: { readonly cause?: unknown },
  ) {
    super(
      "WORKFLOW_SESSION_BROKEN",
      `${path} cannot be used: ${problems.join("; ")}. ${BROKEN_SESSION_REMEDY}`,
      options,
    );
  }
}

/** How to fix a session whose file is broken. */
export const BROKEN_SESSION_REMEDY = "Correct the file, or remove the session's folder.";

/** The folder of runs cannot be created. */
export class SessionsUnwritableError extends AtomicError {
  constructor(
    readonly root: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "SESSIONS_UNWRITABLE",
      `The folder of runs, ${root}, cannot be made: ${messageOf(options.cause)}. Make the folder above it writable, or set ATOMIC_HOME to another one.`,
      options,
    );
  }
}

/** A run has started, but its journal is missing: starting it again would repeat everything. */
export class JournalMissingError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly sessionDir: string,
  ) {
    super(
      "JOURNAL_MISSING",
      `The journal of the run "${runId}" in ${sessionDir} is missing, empty, or belongs to another run. Restore the right one: the run cannot be resumed without it. To repeat everything, start a new run.`,
    );
  }
}
