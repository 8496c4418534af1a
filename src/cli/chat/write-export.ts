import { stat, writeFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { AtomicError, messageOf } from "../../contracts/index.ts";

/** More files of one name than a person makes. */
const MAX_TRIES = 1_000;

/** An export cannot be written. */
export class ExportFailedError extends AtomicError {
  constructor(
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "EXPORT_FAILED",
      `The file ${path} cannot be written: ${messageOf(options.cause)}. Choose another name.`,
      options,
    );
  }
}

/**
 * Writes a text into a new file that only the user can read. If there is a file of this name, the new one is called
 * `name-2.md`. Returns the absolute path.
 *
 * @param name relative to the working directory, absolute, or below the user's home as `~/name`
 * @throws ExportFailedError
 */
export async function writeExport(
  name: string,
  text: string,
  { workingDirectory, homeDirectory }: { readonly workingDirectory: string; readonly homeDirectory: string },
): Promise<string> {
  const first = name.startsWith("~/") ? join(homeDirectory, name.slice(2)) : resolve(workingDirectory, name);
  const status = await stat(first).catch(() => undefined);
  if (status?.isDirectory() === true) throw new ExportFailedError(first, { cause: new Error("it is a folder") });
  const extension = extname(first);
  const stem = first.slice(0, first.length - extension.length);
  for (let count = 1; ; count++) {
    const path = count === 1 ? first : `${stem}-${count}${extension}`;
    try {
      await writeFile(path, text, { flag: "wx", mode: 0o600 });
      return path;
    } catch (cause) {
      const isTaken = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
      if (!isTaken || count >= MAX_TRIES) throw new ExportFailedError(path, { cause });
    }
  }
}
