import { statSync } from "node:fs";
import { AtomicError } from "../contracts/index.ts";

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

/** Translates a system error of a full disk or of Atomic's folder; returns any other error unchanged. */
export function explainSystemError(error: unknown, home: string): unknown {
  if (!(error instanceof Error) || error instanceof AtomicError || !("code" in error)) return error;
  const { code, message } = error;
  if (code === "ENOSPC" || code === "EDQUOT") return new DiskFullError(message, { cause: error });
  const path = "path" in error && typeof error.path === "string" ? error.path : "";
  const isOfHome = path === home || path.startsWith(`${home}/`);
  return PLACE_CODES.has(code) && isOfHome ? new HomeUnusableError(home, message, { cause: error }) : error;
}
