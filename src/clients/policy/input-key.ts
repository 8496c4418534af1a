import { createHash } from "node:crypto";

/**
 * The `key` of a permission request whose title does not hold all of the call: inputs may be long, and hold what does not
 * belong into a file of remembered calls, so it is a hash of the input.
 */
export function inputKey(input: unknown): string {
  return createHash("sha256").update(JSON.stringify(input)).digest("hex");
}
