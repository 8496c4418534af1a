import { Console } from "node:console";
import process from "node:process";
import { Writable } from "node:stream";
import type { UserCode } from "./user-code.ts";

/** Settings of {@link captureProcess}. */
export interface CaptureOptions {
  /** Called for an uncaught error outside of a run: code that waits for the thrower would wait forever. */
  readonly onFatal: () => void;
}

/**
 * Redirects to `userCode`: the output of `console` and `process.stdout`, uncaught errors, and `process.exit()`. Bind Atomic's
 * own `process.stdout.write` before.
 *
 * @returns a function that ends the process, for Atomic itself
 */
export function captureProcess(userCode: UserCode, { onFatal }: CaptureOptions): (exitCode?: number) => never {
  const decoder = new TextDecoder();
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      userCode.write(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
      done();
    },
  });
  const writeRaw: typeof globalThis.console.write = (...chunks) => {
    // The cast is true: a chunk that is not text is a buffer or a view of one.
    const text = chunks
      .map((chunk) => (typeof chunk === "string" ? chunk : decoder.decode(chunk as Uint8Array)))
      .join("");
    userCode.write(text);
    return Buffer.byteLength(text);
  };
  const own = { Console, write: writeRaw };
  globalThis.console = Object.assign(new Console({ stdout: output, stderr: output, colorMode: false }), own);
  // The cast is true: `write` has the same overloads on every stream.
  process.stdout.write = output.write.bind(output) as typeof process.stdout.write;
  process.on("uncaughtException", (error) => {
    if (!userCode.takeError(error)) onFatal();
  });
  process.on("unhandledRejection", (reason) => userCode.takeError(reason));
  return captureExit(userCode);
}

function captureExit(userCode: UserCode): (exitCode?: number) => never {
  // The cast is true: Node and Bun have both, and `process.exit()` ends in `reallyExit()`.
  const inner = process as unknown as { reallyExit: (exitCode?: number) => never; _exiting: boolean };
  const exit = process.exit.bind(process);
  const reallyExit = inner.reallyExit;
  const refuse = (exitCode?: number | string | null): never => userCode.refuseExit(exitCode);
  process.exit = refuse;
  // Files that import `exit` by name have the original. With `_exiting` set, the process would run no more ticks.
  inner.reallyExit = (exitCode) => {
    inner._exiting = false;
    return refuse(exitCode);
  };
  return (exitCode) => {
    inner.reallyExit = reallyExit;
    return exit(exitCode);
  };
}
