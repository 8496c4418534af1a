import { execFile } from "node:child_process";
import { AtomicError } from "../../contracts/index.ts";
import { firstExecutable, programsOnPath } from "../../system/index.ts";

/** An image, in base64. */
export interface ClipboardImage {
  readonly mediaType: string;
  readonly data: string;
}

/** How long a program may take, in milliseconds: the owner of a clipboard may never answer. */
const TIMEOUT_MS = 3_000;

/** The largest output of a program: text of AppleScript has two characters a byte. */
const MAX_BYTES = 67_108_864;

/** The types that every agent accepts, the preferred one first. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** A program that reads the clipboard, and its arguments. */
interface ClipboardReader {
  readonly program: string;
  /** Prints the types that the clipboard has. Absent where the image can be read at once, as PNG. */
  readonly typeArguments?: readonly string[];
  readonly imageArguments: (mediaType: string) => readonly string[];
  /** Makes bytes of the output. @default the output itself */
  readonly decode?: (output: Buffer) => Buffer;
}

const WAYLAND: ClipboardReader = {
  program: "wl-paste",
  typeArguments: ["--list-types"],
  imageArguments: (mediaType) => ["--no-newline", "--type", mediaType],
};

const X11: ClipboardReader = {
  program: "xclip",
  typeArguments: ["-selection", "clipboard", "-target", "TARGETS", "-out"],
  imageArguments: (mediaType) => ["-selection", "clipboard", "-target", mediaType, "-out"],
};

const PNGPASTE: ClipboardReader = { program: "pngpaste", imageArguments: () => ["-"] };

const APPLESCRIPT: ClipboardReader = {
  program: "osascript",
  imageArguments: () => ["-e", "get the clipboard as «class PNGf»"],
  decode: (output) => Buffer.from(/«data PNGf([0-9A-F]+)»/i.exec(output.toString("utf8"))?.[1] ?? "", "hex"),
};

/** The readers that fit an environment; those that are not installed are left out later. */
function readersFor(env: Readonly<Record<string, string>>): readonly ClipboardReader[] {
  return [
    ...(env.WAYLAND_DISPLAY === undefined ? [] : [WAYLAND]),
    ...(env.DISPLAY === undefined ? [] : [X11]),
    ...[PNGPASTE, APPLESCRIPT],
  ];
}

/** No installed program can read the clipboard. */
export class ClipboardUnreadableError extends AtomicError {
  constructor() {
    super(
      "CLIPBOARD_UNREADABLE",
      "The clipboard cannot be read: no program for it is installed, or there is no desktop, as over SSH. Install wl-clipboard (Wayland), xclip (X11) or pngpaste (macOS), or paste the path of an image file.",
    );
  }
}

/**
 * The image in the clipboard, as far as an installed program can read it. Undefined when there is none.
 *
 * @throws ClipboardUnreadableError
 */
export async function readClipboardImage(env: Readonly<Record<string, string>>): Promise<ClipboardImage | undefined> {
  let hasProgram = false;
  for (const reader of readersFor(env)) {
    const program = await firstExecutable(programsOnPath(reader.program, env));
    if (program === undefined) continue;
    hasProgram = true;
    const image = await read(program, reader, env);
    if (image !== undefined) return image;
  }
  if (!hasProgram) throw new ClipboardUnreadableError();
  return undefined;
}

async function read(
  program: string,
  { typeArguments, imageArguments, decode = (output) => output }: ClipboardReader,
  env: Readonly<Record<string, string>>,
): Promise<ClipboardImage | undefined> {
  const types = typeArguments === undefined ? "image/png" : (await outputOf(program, typeArguments, env))?.toString();
  const mediaType = IMAGE_TYPES.find((type) => types?.split(/\s+/).includes(type));
  if (mediaType === undefined) return undefined;
  const output = await outputOf(program, imageArguments(mediaType), env);
  const bytes = output === undefined ? undefined : decode(output);
  return bytes === undefined || bytes.length === 0 ? undefined : { mediaType, data: bytes.toString("base64") };
}

/** Undefined if the program fails, which it does without an image. */
function outputOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Buffer | undefined> {
  const options = { env, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, encoding: "buffer" } as const;
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, stdout) => resolve(error === null ? stdout : undefined));
  });
}
