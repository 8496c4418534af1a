import { AtomicError, messageOf } from "../../contracts/index.ts";
import { JournalCorruptError, JournalReadError, JournalWriteError } from "../errors/errors.ts";

/**
 * Result codes of SQLite that speak of the way to the file, not of what is in it: PERM, BUSY, LOCKED, NOMEM, READONLY,
 * INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL, NOLFS, AUTH.
 */
const ACCESS_CODES: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 22, 23]);
const BUSY_CODES: ReadonlySet<number> = new Set([5, 6]);

/** Whether another connection was in the way. */
export function isBusy(error: unknown): boolean {
  return BUSY_CODES.has(resultCodeOf(error) ?? -1);
}

/** PERM, READONLY, CANTOPEN. */
const UNWRITABLE_CODES: ReadonlySet<number> = new Set([3, 8, 14]);

/** Whether SQLite could not write, or make, a file that it needs. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE_CODES.has(resultCodeOf(error) ?? -1);
}

/** SQLITE_IOERR_SHORT_READ: the file ends before what is in it says. That is damage, though SQLite counts it as IOERR. */
const SHORT_READ_CODE = 522;

/** SQLite's primary result code; undefined for what SQLite did not throw. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

/** Whether the way to the database failed, in SQLite or in the file system. What else goes wrong is its content. */
function isAccessError(error: unknown): boolean {
  if (error instanceof Error && "errcode" in error && error.errcode === SHORT_READ_CODE) return false;
  const code = resultCodeOf(error);
  if (code !== undefined) return ACCESS_CODES.has(code);
  return error instanceof Error && "syscall" in error;
}

/** What a failure is about. */
export interface SqliteFailure {
  /** Absent when runs were to be listed. */
  readonly runId?: string;
  readonly action: "read" | "write";
  /** Finds the first entry of the run that cannot be read. Called for damage only; must not throw. */
  readonly findDamage?: () => number;
}

/** Our error for whatever went wrong with a database. */
export function toJournalError(error: unknown, { runId, action, findDamage }: SqliteFailure): AtomicError {
  if (error instanceof AtomicError) return error;
  if (runId === undefined) return new JournalReadError(undefined, { cause: error });
  if (!isAccessError(error)) {
    return new JournalCorruptError(runId, findDamage?.() ?? 1, messageOf(error), { cause: error });
  }
  if (action === "write") return new JournalWriteError(runId, { cause: error });
  return new JournalReadError(runId, { cause: error });
}
