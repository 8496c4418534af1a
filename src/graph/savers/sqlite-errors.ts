import { AtomicError, messageOf } from "../../contracts/index.ts";
import { JournalCorruptError, JournalReadError, JournalWriteError } from "../errors/errors.ts";

/**
 * Result codes of SQLite about access to the file, not about its content: PERM, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT,
 * IOERR, FULL, CANTOPEN, PROTOCOL, NOLFS, AUTH.
 */
const ACCESS_CODES: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 22, 23]);
const BUSY_CODES: ReadonlySet<number> = new Set([5, 6]);

/** Whether another connection blocked the operation. */
export function isBusy(error: unknown): boolean {
  return BUSY_CODES.has(resultCodeOf(error) ?? -1);
}

/** PERM, READONLY, CANTOPEN. */
const UNWRITABLE_CODES: ReadonlySet<number> = new Set([3, 8, 14]);

/** Whether SQLite could not write or create a file that it needs. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE_CODES.has(resultCodeOf(error) ?? -1);
}

/** SQLITE_IOERR_SHORT_READ: the file is shorter than its content says. That is damage, though SQLite counts it as IOERR. */
const SHORT_READ_CODE = 522;

/** SQLite's primary result code; undefined for errors of other origin. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

/** Whether access to the database failed, in SQLite or in the file system. Every other failure is about its content. */
function isAccessError(error: unknown): boolean {
  if (error instanceof Error && "errcode" in error && error.errcode === SHORT_READ_CODE) return false;
  const code = resultCodeOf(error);
  if (code !== undefined) return ACCESS_CODES.has(code);
  return error instanceof Error && "syscall" in error;
}

/** What failed. */
export interface SqliteFailure {
  /** Absent when listing runs failed. */
  readonly runId?: string;
  readonly action: "read" | "write";
  /** Finds the first unreadable entry of the run. Called for damage only; must not throw. */
  readonly findDamage?: () => number;
}

/** Converts an error of a database to one of Atomic's. */
export function toJournalError(error: unknown, { runId, action, findDamage }: SqliteFailure): AtomicError {
  if (error instanceof AtomicError) return error;
  if (runId === undefined) return new JournalReadError(undefined, { cause: error });
  if (!isAccessError(error)) {
    return new JournalCorruptError(runId, findDamage?.() ?? 1, messageOf(error), { cause: error });
  }
  if (action === "write") return new JournalWriteError(runId, { cause: error });
  return new JournalReadError(runId, { cause: error });
}
