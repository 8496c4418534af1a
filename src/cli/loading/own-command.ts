import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isCompiled } from "../../system/index.ts";

/** How Atomic starts a program of its own. */
export interface OwnCommand {
  readonly command: readonly [string, ...string[]];
  /** Where it has to start: Bun reads settings from there, unless Atomic is compiled. */
  readonly folder: string;
}

/** The command of a file of Atomic's that Bun runs. @param compiled its arguments in a compiled Atomic */
export function commandOfFile(file: URL, compiled: readonly string[]): OwnCommand {
  if (isCompiled()) return { command: [process.execPath, ...compiled], folder: dirname(process.execPath) };
  const program = fileURLToPath(file);
  const flags = ["--no-env-file", "--config=/dev/null", "--no-install"];
  return { command: [process.execPath, ...flags, program], folder: dirname(program) };
}
