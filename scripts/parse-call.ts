import { type Command, CommanderError } from "commander";
import type { CliEnvironment } from "../src/cli/environment.ts";
import { createProgram } from "../src/cli/program.ts";

/** What a call that a sentence only names need not have, and what the help and the version end with. */
const ACCEPTED: ReadonlySet<string> = new Set([
  "commander.missingArgument",
  "commander.optionMissingArgument",
  "commander.help",
  "commander.helpDisplayed",
  "commander.version",
]);

/**
 * Parses a call of `atomic` as the program does, and carries nothing out.
 * @param words the arguments
 * @returns what is wrong with it. Undefined if all its commands and options exist
 */
export async function parseCall(words: readonly string[]): Promise<string | undefined> {
  const errors: string[] = [];
  const output = { write: (text: string) => void errors.push(text), isTTY: false, columns: 80 };
  // The parser writes, and reads the arguments; the rest is for actions, which are replaced.
  const environment = { args: words, env: {}, stdout: output, stderr: output } as unknown as CliEnvironment;
  const program = createProgram(environment, () => undefined);
  let unexpected: string | undefined;
  replaceActions(program, (command) => {
    const { args, registeredArguments } = command;
    if (registeredArguments.at(-1)?.variadic === true) return;
    unexpected = args[registeredArguments.length];
  });
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return ACCEPTED.has(error.code) ? undefined : errors.join("").trim();
  }
  return unexpected === undefined ? undefined : `There is no command or argument for "${unexpected}".`;
}

function replaceActions(command: Command, onAction: (command: Command) => void): void {
  command.action(() => onAction(command));
  for (const inner of command.commands) replaceActions(inner, onAction);
}
