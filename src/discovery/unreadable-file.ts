import { type DiscoveryProblem, messageOf } from "../contracts/index.ts";
import { FileUnusableError } from "./read-bounded-file.ts";

/** The problem of a file, or a folder, that could not be read. */
export function describeUnreadable(
  path: string,
  error: unknown,
  remedy = "Check that it is what its name says and that you may read it.",
): DiscoveryProblem {
  const message = error instanceof FileUnusableError ? `It ${error.reason}` : `It cannot be read: ${messageOf(error)}`;
  return { path, message, remedy, severity: "error" };
}

/** Whether a path could not be read because nothing is there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
