import type { Readable, Writable } from "node:stream";
import type { CliEnvironment } from "../environment.ts";

/** Where a prompt reads and draws. */
export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Questions go where progress goes: standard output may lead into a file. */
export function promptStreams({ stdin, stderr }: CliEnvironment): PromptStreams {
  return { input: stdin, output: stderr.stream };
}
