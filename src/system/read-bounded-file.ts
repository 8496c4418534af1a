import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { AtomicError } from "../contracts/index.ts";

/** Neither waits for a pipe nor makes a terminal the process's own. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

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
  const file = await open(path, WITHOUT_WAITING).catch((error: unknown) => {
    throw describeUnopened(path, error);
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

/** As {@link readBoundedFile}, for code that must not give way to other work. @throws the errors of {@link readBoundedBytes} */
export function readBoundedFileSync(path: string, maxBytes = MAX_FILE_BYTES): string {
  let file: number;
  try {
    file = openSync(path, WITHOUT_WAITING);
  } catch (error) {
    throw describeUnopened(path, error);
  }
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new FileUnusableError(path, "is not a regular file");
    if (status.size > maxBytes) throw new FileUnusableError(path, `is larger than ${maxBytes} bytes`);
    const bytes = Buffer.allocUnsafe(status.size);
    let length = 0;
    while (length < bytes.length) {
      const bytesRead = readSync(file, bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}

/** A socket cannot be opened at all. */
function describeUnopened(path: string, error: unknown): unknown {
  const isSocket = error instanceof Error && "code" in error && (error.code === "ENXIO" || error.code === "EOPNOTSUPP");
  return isSocket ? new FileUnusableError(path, "is not a regular file") : error;
}
