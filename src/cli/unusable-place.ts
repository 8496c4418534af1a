import { statfsSync, statSync } from "node:fs";
import { AtomicError, messageOf } from "../contracts/index.ts";

/** Atomic's own folder cannot be read or written. */
export class HomeUnusableError extends AtomicError {
  constructor(home: string, reason: string, options?: { readonly cause: unknown }) {
    super(
      "HOME_UNUSABLE",
      `Atomic cannot use its folder "${home}": ${reason}. Make it a folder that you may write to, or set ATOMIC_HOME to another one.`,
      options,
    );
  }
}

/** The disk is full. */
export class DiskFullError extends AtomicError {
  constructor(reason: string, options: { readonly cause: unknown }) {
    super("DISK_FULL", `The disk is full: ${reason}. Make room, then call again.`, options);
  }
}

/** An output cannot be written. */
export class OutputError extends AtomicError {
  constructor(name: string, reason: string, options: { readonly cause: unknown }) {
    super("OUTPUT_FAILED", `${name} cannot be written: ${reason}. Lead it to a place that has room.`, options);
  }
}

/** @throws HomeUnusableError if the path exists and is not a folder */
export function assertFolder(home: string): void {
  const isOther = statSync(home, { throwIfNoEntry: false })?.isDirectory() === false;
  if (isOther) throw new HomeUnusableError(home, "it is no folder");
}

/** Codes of system errors that make a place unusable for any purpose. */
const PLACE_CODES: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "ENOENT", "EIO"]);

/** SQLite needs this much to open a journal, even for reading, in bytes. */
const JOURNAL_ROOM_BYTES = 65_536;

/** What is left for Atomic's folder, in bytes; unlimited where nobody can say. */
function findFreeBytes(home: string): number {
  try {
    const { bavail, bsize } = statfsSync(home);
    return bavail * bsize;
  } catch {
    // The folder itself cannot be used: that has an error of its own.
    return Number.POSITIVE_INFINITY;
  }
}

/** The codes of a full disk: of the system, and of SQLite in Bun. */
const FULL_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL"]);

/** SQLite's own words. In Node, its errors all have the same code. */
const FULL_MESSAGE = "database or disk is full";

function isFull(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return error.message === FULL_MESSAGE || ("code" in error && FULL_CODES.has(error.code));
}

/**
 * Translates a system error of a full disk or of Atomic's folder; returns any other error unchanged. SQLite says of a full
 * disk only that it cannot read.
 */
export function explainSystemError(error: unknown, home: string, freeBytesOf = findFreeBytes): unknown {
  const hasRoom = (): boolean => freeBytesOf(home) >= JOURNAL_ROOM_BYTES;
  if (error instanceof AtomicError) return explainKnown(error, hasRoom);
  if (isFull(error)) return new DiskFullError(describeFull(error, home, hasRoom), { cause: error });
  if (!(error instanceof Error) || !("code" in error)) return error;
  const { code, message } = error;
  const path = pathOf(error);
  const isOfHome = path === home || path.startsWith(`${home}/`);
  return PLACE_CODES.has(code) && isOfHome ? new HomeUnusableError(home, message, { cause: error }) : error;
}

/** Errors that say what cannot be used, and not that the disk is full. */
function explainKnown(error: AtomicError, hasRoom: () => boolean): AtomicError {
  if (error.code === "JOURNAL_READ" && !hasRoom()) {
    const run = "runId" in error && typeof error.runId === "string" ? ` of the run "${error.runId}"` : "";
    return new DiskFullError(`the journal${run} cannot be read (${messageOf(error.cause)})`, { cause: error });
  }
  if (error.code === "WORKING_TREE_LOCK_BROKEN" && isFull(error.cause)) {
    const lock = `the lock of the working tree, ${pathOf(error)}, cannot be used`;
    return new DiskFullError(`${lock} (${error.cause.message})`, { cause: error });
  }
  return error;
}

/** A write through an open file does not say which one. */
function describeFull(error: Error, home: string, hasRoom: () => boolean): string {
  if (pathOf(error) !== "" || hasRoom()) return error.message;
  return `Atomic's folder "${home}" has no room (${error.message})`;
}

function pathOf(error: Error): string {
  return "path" in error && typeof error.path === "string" ? error.path : "";
}
