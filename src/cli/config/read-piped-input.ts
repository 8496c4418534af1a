import type { Readable } from "node:stream";
import type { CliEnvironment } from "../environment.ts";
import { UsageError } from "./usage-error.ts";

/** Larger input is rejected, in bytes. */
const MAX_BYTES = 1_048_576;

/** How long to wait for the first byte, in milliseconds: some programs leave a pipe open and never write to it. */
const FIRST_BYTE_MS = 3_000;

/** Settings of {@link readPipedInput}. */
export interface ReadPipedInputOptions {
  /** Called when no byte arrives in time; the call continues without input. */
  readonly onNothing: () => void;
  /** @default 3_000 */
  readonly firstByteMs?: number;
}

/**
 * Reads all piped input, without trailing white space; returns an empty string when nothing is piped.
 *
 * @throws UsageError when the input is larger than 1 MiB, or the pipe closes before its end
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

/** Returns `undefined` when no byte arrives in time. The stream never keeps the process alive afterwards. */
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
  // A stream also closes after its end; the promise is settled by then.
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
  return new UsageError("The pipe closed before the end of the input. Check the program that writes to it.");
}

function tooLarge(): UsageError {
  return new UsageError(
    "The piped input is larger than 1 MiB. Pipe a part of it, or write it to a file and pass that to the agent: --file PATH.",
  );
}
