import { Writable } from "node:stream";
import type { CliEnvironment, TextOutput } from "../../environment.ts";

/** The environment of a call that prints nothing: the terminal belongs to the UI. */
export function quietEnvironment(environment: CliEnvironment): CliEnvironment {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output: TextOutput = { write: () => undefined, isTTY: false, columns: 80, stream };
  // With `--json`, a workspace writes no notes about changed files, and leaves them to a call that can show them.
  return {
    ...environment,
    args: ["--json"],
    stdout: output,
    stderr: output,
    hasPipedInput: false,
    isInteractive: false,
  };
}
