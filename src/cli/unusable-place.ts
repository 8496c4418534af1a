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

/**
 * Translates a system error of a full disk or of Atomic's folder; returns any other error unchanged. SQLite says of a full
 * disk only that it cannot read.
 */
export function explainSystemError(error: unknown, home: string, freeBytesOf = findFreeBytes): unknown {
  if (error instanceof AtomicError && error.code === "JOURNAL_READ" && freeBytesOf(home) < JOURNAL_ROOM_BYTES) {
    const run = "runId" in error && typeof error.runId === "string" ? ` of the run "${error.runId}"` : "";
    return new DiskFullError(`the journal${run} cannot be read (${messageOf(error.cause)})`, { cause: error });
  }
  if (!(error instanceof Error) || error instanceof AtomicError || !("code" in error)) return error;
  const { code, message } = error;
  if (code === "ENOSPC" || code === "EDQUOT") return new DiskFullError(message, { cause: error });
  const path = "path" in error && typeof error.path === "string" ? error.path : "";
  const isOfHome = path === home || path.startsWith(`${home}/`);
  return PLACE_CODES.has(code) && isOfHome ? new HomeUnusableError(home, message, { cause: error }) : error;
}
