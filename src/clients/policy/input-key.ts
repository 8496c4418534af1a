import { createHash } from "node:crypto";

/**
 * The `key` of a permission request whose title does not hold all of the call's input. A hash, because inputs may be long
 * and may hold what does not belong into a file of remembered calls.
 */
export function inputKey(input: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(input) ?? "")
    .digest("hex");
}
