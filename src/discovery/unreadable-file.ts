import { type DiscoveryProblem, messageOf } from "../contracts/index.ts";
import { FileUnusableError } from "../system/index.ts";

/** The problem of a file, or a folder, that could not be read. */
export function describeUnreadable(
  path: string,
  error: unknown,
  remedy = "Check that it is what its name says and that you may read it.",
): DiscoveryProblem {
  const message = error instanceof FileUnusableError ? `It ${error.reason}` : `It cannot be read: ${reasonOf(error)}`;
  return { path, message, remedy, severity: "error" };
}

/** Why a file could not be read, without the system's code and the path. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return REASONS[code] ?? messageOf(error);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "you may not read it",
  EPERM: "you may not read it",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a cycle",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is not a folder",
};

/** Whether a path could not be read because nothing is there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
