import { createHash } from "node:crypto";

/** The longest name, in characters, that {@link encodeRunId} makes; what is put before and behind it must fit beside it. */
const MAX_LENGTH = 120;
const DIGEST_LENGTH = 32;

/**
 * The name under which files of a run are kept: any id gives one, different ids give different ones (also where the
 * file system takes upper and lower case for the same), and none leads out of a folder. What is not a small letter, a
 * digit, `-` or `_` becomes `%` and its bytes; a long name is cut and ends with a digest.
 */
export function encodeRunId(runId: string): string {
  const encoded = runId.replace(/[^a-z0-9_-]/gu, (character) => {
    return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  });
  // Nothing else makes a name with "~", nor an empty one.
  if (encoded === "") return "~";
  if (encoded.length <= MAX_LENGTH) return encoded;
  const digest = createHash("sha256").update(runId).digest("hex").slice(0, DIGEST_LENGTH);
  return `${encoded.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}~${digest}`;
}

/** The id behind a name; undefined when the name was cut, or was not made by {@link encodeRunId}. */
export function decodeRunId(name: string): string | undefined {
  if (name === "~") return "";
  try {
    const runId = decodeURIComponent(name);
    return encodeRunId(runId) === name ? runId : undefined;
  } catch {
    return undefined;
  }
}
