import { readFile, stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import type { ClipboardImage } from "./clipboard-image.ts";

/** The largest image that is attached, in bytes: agents accept no larger ones. */
const MAX_BYTES = 20_971_520;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".gif": "image/gif",
};

/** A pasted path leads to an image that is too large. */
export class ImageTooLargeError extends AtomicError {
  constructor(
    readonly path: string,
    readonly bytes: number,
  ) {
    super(
      "IMAGE_TOO_LARGE",
      `The image ${path} has ${bytes} bytes; at most ${MAX_BYTES} can be attached. Make it smaller, or mention it with @.`,
    );
  }
}

/**
 * The image in a file. Undefined when the path is none of a PNG, JPEG, WebP or GIF file that can be read.
 *
 * @param path absolute, or relative to the working directory
 * @throws ImageTooLargeError
 */
export async function readImageFile(
  path: string,
  { workingDirectory }: { readonly workingDirectory: string },
): Promise<ClipboardImage | undefined> {
  const mediaType = MEDIA_TYPES[extname(path).toLowerCase()];
  if (mediaType === undefined) return undefined;
  const file = resolve(workingDirectory, path);
  // A path of another machine, or one that is only mentioned.
  const status = await stat(file).catch(() => undefined);
  if (status?.isFile() !== true) return undefined;
  if (status.size > MAX_BYTES) throw new ImageTooLargeError(file, status.size);
  const bytes = await readFile(file).catch(() => undefined);
  return bytes === undefined ? undefined : { mediaType, data: bytes.toString("base64") };
}
