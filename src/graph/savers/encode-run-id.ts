import { createHash } from "node:crypto";

/** The longest name that {@link encodeRunId} returns, in characters; leaves room for a prefix and a suffix. */
const MAX_LENGTH = 120;
const DIGEST_LENGTH = 32;

/**
 * The file name for a run's id. Every id has a name, different ids have different names (even on file systems that ignore
 * case), and no name leads out of a folder. Characters other than small letters, digits, `-` and `_` become `%` and their
 * bytes; a long name is cut and ends with a digest.
 */
export function encodeRunId(runId: string): string {
  const encoded = runId.replace(/[^a-z0-9_-]/gu, (character) => {
    return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  });
  // No other id has a name with "~" or an empty name.
  if (encoded === "") return "~";
  if (encoded.length <= MAX_LENGTH) return encoded;
  const digest = createHash("sha256").update(runId).digest("hex").slice(0, DIGEST_LENGTH);
  return `${encoded.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}~${digest}`;
}

/** The id of a name; undefined if the name was cut, or does not come from {@link encodeRunId}. */
export function decodeRunId(name: string): string | undefined {
  if (name === "~") return "";
  try {
    const runId = decodeURIComponent(name);
    return encodeRunId(runId) === name ? runId : undefined;
  } catch {
    return undefined;
  }
}
