import { PassThrough, type Readable } from "node:stream";
import type { TerminalProcess } from "./terminal-process.ts";

/** How long a terminal is waited for, in milliseconds. It answers at once. */
const ANSWER_MS = 10;

/** What a person types into a terminal, line by line, and the line that has no Enter yet. */
export class TypedLines {
  readonly #process: TerminalProcess;
  readonly #lines = new PassThrough();
  #taking: { readonly promise: Promise<string>; readonly finish: (text: string) => void } | undefined;
  readonly #receive = (chunk: Uint8Array): void => {
    if (this.#taking === undefined) this.#lines.write(chunk);
    else this.#taking.finish(Buffer.from(chunk).toString());
  };
  readonly #end = (): void => void this.#lines.end();

  constructor(process: TerminalProcess) {
    this.#process = process;
    process.stdin.on("data", this.#receive).once("end", this.#end);
  }

  get stream(): Readable {
    return this.#lines;
  }

  /** The terminal keeps lines again, also when this comes while {@link TypedLines.takeTyped} waits. */
  close(): void {
    this.#taking?.finish("");
    this.#process.stdin.removeListener("data", this.#receive).removeListener("end", this.#end).pause();
    this.#lines.end();
  }

  /**
   * Takes what was typed and not read: the next line starts empty. A terminal keeps a line until Enter; while it keeps none, it
   * passes on what it has.
   */
  async takeTyped(): Promise<string> {
    if (this.#taking !== undefined) return await this.#taking.promise;
    const { stdin } = this.#process;
    // In the background, a change of the terminal would stop the process.
    if (stdin.isTTY !== true || !this.#process.isInForeground()) return "";
    const { promise, resolve } = Promise.withResolvers<string>();
    const finish = (text: string): void => {
      if (this.#taking?.promise !== promise) return;
      clearTimeout(timer);
      stdin.setRawMode(false);
      this.#taking = undefined;
      resolve(text);
    };
    // What has arrived while the process was busy is read before the end.
    const timer = setTimeout(() => setImmediate(() => finish("")), ANSWER_MS);
    this.#taking = { promise, finish };
    stdin.setRawMode(true);
    return await promise;
  }
}
