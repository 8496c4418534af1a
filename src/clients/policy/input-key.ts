import { createHash } from "node:crypto";

/**
 * The `key` of a permission request whose title does not contain all of the call's input. A hash, because inputs can be
 * long and can contain data that must not be in a file of remembered calls.
 */
export function inputKey(input: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(input) ?? "")
    .digest("hex");
}
