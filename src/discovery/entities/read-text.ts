import { isUtf8 } from "node:buffer";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import { readBoundedBytes } from "../../system/index.ts";

/** The text of a file, and what is wrong with its encoding. */
export interface ReadText {
  readonly text: string;
  readonly problems: readonly DiscoveryProblem[];
}

/**
 * Reads UTF-8 as vendors do, other bytes included, which then stand for no letter. UTF-16 is read, too: editors on Windows
 * write it.
 *
 * @throws the errors of {@link readBoundedBytes}
 */
export async function readText(path: string): Promise<ReadText> {
  const bytes = await readBoundedBytes(path);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: bytes.toString("utf16le"), problems: [] };
  const text = bytes.toString("utf8");
  // A file with NUL characters is no text at all.
  if (isUtf8(bytes) || text.includes("\0")) return { text, problems: [] };
  const line = text.slice(0, text.indexOf("\ufffd")).split("\n").length;
  const message = "The file is not in UTF-8, so some letters were lost";
  return { text, problems: [{ path, line, message, remedy: "Save it in UTF-8.", severity: "warning" }] };
}
