import { AtomicError, messageOf } from "../../contracts/index.ts";
import { type ReplaceFileOptions, replaceFile } from "../../system/index.ts";

/** A value that was to be kept has no form in JSON: it contains itself, or a bigint. */
export class NotJsonError extends AtomicError {
  constructor(
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "NOT_JSON",
      `What was to be written to ${path} cannot be written as JSON: ${messageOf(options.cause)} Keep only plain data in it.`,
      options,
    );
  }
}

/**
 * Replaces a file by a value as indented JSON, all or nothing (see `replaceFile`). `undefined` becomes `null`.
 * @throws NotJsonError
 */
export async function writeJsonAtomically(path: string, value: unknown, options?: ReplaceFileOptions): Promise<void> {
  let text: string;
  try {
    // Bun takes seconds to notice that an object contains itself when it indents, and no time when it does not.
    JSON.stringify(value);
    text = JSON.stringify(value ?? null, undefined, 2) ?? "null";
  } catch (cause) {
    throw new NotJsonError(path, { cause });
  }
  await replaceFile(path, `${text}\n`, options);
}
