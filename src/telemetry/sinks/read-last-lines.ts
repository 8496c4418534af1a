import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { FileUnusableError } from "../../system/index.ts";

/** So much is read at once, in bytes. */
const CHUNK_BYTES = 1_048_576;

/** Neither waits for a pipe nor makes a terminal the process's own. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** What {@link readLastLines} returns. */
export interface LastLines {
  /** In the order of the file, without empty ones. */
  readonly lines: readonly string[];
  /** So much was read. */
  readonly bytes: number;
  /** Whether there are further lines before them that `maxBytes` kept from being read. */
  readonly isCut: boolean;
}

/**
 * Reads the last lines of a file from its end, however long it is.
 *
 * @throws FileUnusableError for an irregular file; the system's errors
 */
export async function readLastLines(
  path: string,
  { count, maxBytes }: { readonly count: number; readonly maxBytes: number },
): Promise<LastLines> {
  const file = await open(path, WITHOUT_WAITING);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new FileUnusableError(path, "is not a regular file");
    const first = Math.max(0, status.size - maxBytes);
    const chunks: Buffer[] = [];
    let start = status.size;
    // One end of a line more than lines: the line in front of it is not whole.
    for (let ends = 0; start > first && ends <= count; ) {
      const end = start;
      start = Math.max(first, end - CHUNK_BYTES);
      const chunk = Buffer.alloc(end - start);
      const { bytesRead } = await file.read(chunk, 0, chunk.length, start);
      const read = chunk.subarray(0, bytesRead);
      for (let at = read.indexOf(10); at !== -1; at = read.indexOf(10, at + 1)) ends++;
      chunks.unshift(read);
    }
    const text = Buffer.concat(chunks);
    const firstEnd = text.indexOf(10);
    const whole = start === 0 ? text : text.subarray(firstEnd === -1 ? text.length : firstEnd + 1);
    const lines = whole
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
    const isCut = first > 0 && start === first && lines.length < count;
    return { lines: count <= 0 ? [] : lines.slice(-count), bytes: text.length, isCut };
  } finally {
    await file.close();
  }
}
