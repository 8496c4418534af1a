/** What a person has typed into a line that takes commands. */
export interface CommandInput {
  /** The name after the slash; empty when the input is not a command. */
  readonly commandName: string;
  /** Whether anything but white space follows the name. */
  readonly hasArgs: boolean;
  /** What follows the name and one space, as it was typed. */
  readonly argsText: string;
}

/**
 * Splits an input such as `/commit fix it` into the name of a command and what follows it. Pure.
 *
 * @example
 * parseCommandInput("/commit fix it"); // { commandName: "commit", hasArgs: true, argsText: "fix it" }
 * parseCommandInput("/commit "); // { commandName: "commit", hasArgs: false, argsText: "" }
 * parseCommandInput("fix it"); // { commandName: "", hasArgs: false, argsText: "" }
 */
export function parseCommandInput(input: string): CommandInput {
  const [, commandName = "", argsText = ""] = /^\/(\S*)(?:\s([\s\S]*))?$/.exec(input) ?? [];
  return { commandName, hasArgs: argsText.trim() !== "", argsText };
}
