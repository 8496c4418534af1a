import type { Command } from "commander";
import { safeLine } from "../../view/index.ts";
import { findCompletions } from "../completions/find-completions.ts";
import { loadValues } from "../completions/load-values.ts";
import { type CliEnvironment, isDebug } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";

/** A longer description would push the words off the screen, in columns. */
const MAX_DESCRIPTION = 70;

/**
 * `atomic __complete -- WORDS`: prints what may follow in a call, one line each: the word, a tab, a description; `:files` where a
 * file may be. Prints no errors, because a shell would show them in the prompt; with `ATOMIC_DEBUG`, on standard error.
 */
export async function completeCommand(
  environment: CliEnvironment,
  program: Command,
  words: readonly string[],
): Promise<ExitCode> {
  try {
    const { words: fixed, place, prefix, typed } = findCompletions(program, words);
    const values = place === undefined ? { words: [], isFile: false } : await loadValues(environment, place);
    const lines = [...fixed, ...values.words]
      .filter(({ value }) => value.startsWith(typed))
      .map(({ value, description = "" }) => `${prefix}${value}\t${safeLine(description, MAX_DESCRIPTION)}`);
    const all = values.isFile ? [...lines, ":files"] : lines;
    if (all.length > 0) environment.stdout.write(`${all.join("\n")}\n`);
  } catch (error) {
    if (isDebug(environment)) environment.stderr.write(`${String(error)}\n`);
  }
  return ExitCode.done;
}
