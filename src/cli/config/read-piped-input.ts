import type { Readable } from "node:stream";
import type { CliEnvironment } from "../environment.ts";
import { UsageError } from "./usage-error.ts";

/** More than this is no part of a message any more, in bytes. */
const MAX_BYTES = 1_048_576;

/** How long a pipe may say nothing at first, in milliseconds: programs leave pipes open that nobody writes to. */
const FIRST_BYTE_MS = 3_000;

/** What waiting for piped input depends on. */
export interface ReadPipedInputOptions {
  /** Called when nothing has come, and the call goes on without it. */
  readonly onNothing: () => void;
  /** @default 3_000 */
  readonly firstByteMs?: number;
}

/**
 * The whole of what is piped into the program, without the white space at its end; empty where nothing is.
 *
 * @throws UsageError when it is larger than 1 MiB, or breaks off
 */
export async function readPipedInput(
  { stdin, hasPipedInput }: Pick<CliEnvironment, "stdin" | "hasPipedInput">,
  { onNothing, firstByteMs = FIRST_BYTE_MS }: ReadPipedInputOptions,
): Promise<string> {
  if (!hasPipedInput) return "";
  const bytes = await readBytes(stdin, firstByteMs);
  if (bytes === undefined) {
    onNothing();
    return "";
  }
  return new TextDecoder().decode(bytes).trimEnd();
}

/** `undefined` when nothing came in time. Whatever happens, the stream no longer keeps the process alive. */
async function readBytes(stdin: Readable, firstByteMs: number): Promise<Uint8Array | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timer = setTimeout(() => resolve(undefined), firstByteMs);
  const onData = (chunk: string | Uint8Array): void => {
    clearTimeout(timer);
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    chunks.push(bytes);
    if (size > MAX_BYTES) reject(tooLarge());
  };
  const onEnd = (): void => resolve(Buffer.concat(chunks));
  // A stream that ends closes after that, and what is settled stays as it is.
  const onClose = (): void => reject(brokenOff());
  stdin.on("data", onData).once("end", onEnd).once("error", reject).once("close", onClose);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stdin.off("data", onData).off("end", onEnd).off("error", reject).off("close", onClose);
    if (!stdin.readableEnded) stdin.destroy();
  }
}

function brokenOff(): UsageError {
  return new UsageError("What is piped into the call broke off before its end. Look at the program before the pipe.");
}

function tooLarge(): UsageError {
  return new UsageError(
    "What is piped into the call is larger than 1 MiB. Pipe a part of it, or write it to a file and point the agent at that: --file PATH.",
  );
}
