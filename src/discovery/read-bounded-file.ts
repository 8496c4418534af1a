import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { AtomicError } from "../contracts/index.ts";

/** The largest file of settings or code that is read. */
export const MAX_FILE_BYTES = 1_048_576;

/** A path that should be a text file could block its reader or fill the memory. */
export class FileUnusableError extends AtomicError {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super("FILE_UNUSABLE", `${path} ${reason}. Replace it with a file of text, or remove it.`);
  }
}

/**
 * Reads a UTF-8 text file, see {@link readBoundedBytes}.
 *
 * @throws the errors of {@link readBoundedBytes}
 */
export async function readBoundedFile(path: string, maxBytes?: number): Promise<string> {
  return (await readBoundedBytes(path, maxBytes)).toString("utf8");
}

/**
 * Reads an untrusted file. Never waits for a pipe, never opens a terminal, and never reads more than
 * `maxBytes`, even if the file grows meanwhile.
 *
 * @throws FileUnusableError for an irregular or larger file; the system's errors, `ENOENT` included
 */
export async function readBoundedBytes(path: string, maxBytes = MAX_FILE_BYTES): Promise<Buffer> {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
  const file = await open(path, flags).catch((error: unknown) => {
    // A socket cannot be opened at all.
    const isSocket =
      error instanceof Error && "code" in error && (error.code === "ENXIO" || error.code === "EOPNOTSUPP");
    throw isSocket ? new FileUnusableError(path, "is not a regular file") : error;
  });
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new FileUnusableError(path, "is not a regular file");
    // One byte more than there should be: a read that fills them all has not seen the end.
    let bytes = Buffer.allocUnsafe(Math.min(status.size, maxBytes) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length > maxBytes) break;
      if (length === bytes.length) bytes = Buffer.concat([bytes], maxBytes + 1);
    }
    if (length > maxBytes) throw new FileUnusableError(path, `is larger than ${maxBytes} bytes`);
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}
