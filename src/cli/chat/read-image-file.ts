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
 * The image in a file. Undefined when the path is none of a PNG, JPEG, WebP or GIF file that can be read, or what is in it is something else.
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
  return bytes === undefined || !startsAs(mediaType, bytes) ? undefined : { mediaType, data: bytes.toString("base64") };
}

/** Whether a file starts as one of its type does: models reject anything else, and some agents then wait for nothing. */
function startsAs(mediaType: string, bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, 12);
  switch (mediaType) {
    case "image/png":
      return start.startsWith("\u0089PNG\r\n");
    case "image/jpeg":
      return start.startsWith("\u00ff\u00d8\u00ff");
    case "image/gif":
      return start.startsWith("GIF8");
    default:
      return start.startsWith("RIFF") && start.endsWith("WEBP");
  }
}
