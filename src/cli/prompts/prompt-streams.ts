import type { Readable, Writable } from "node:stream";
import type { CliEnvironment } from "../environment.ts";

/** The input and output of a prompt. */
export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Prompts use standard error, like progress: standard output may be redirected to a file. */
export function promptStreams({ stdin, stderr }: CliEnvironment): PromptStreams {
  return { input: stdin, output: stderr.stream };
}
