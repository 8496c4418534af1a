import { AtomicError } from "../../contracts/index.ts";

/** A command in a prompt has a place for an argument where no quoting makes the argument safe. */
export class ArgumentPlaceError extends AtomicError {
  /** Another attempt meets the same text. */
  readonly isRetryable = false;

  constructor(readonly command: string) {
    super(
      "PROMPT_ARGUMENT_PLACE",
      `The command "${command}" in the prompt has an argument after a backslash, a comment, a substitution or a here-document. Write the argument before it, or in plain quotes.`,
    );
  }
}

/** How a value is written at a place of a command. */
export interface ShellPlace {
  /** Whether the place is between quotes, so that several words are one value. */
  readonly isQuoted: boolean;
  /** Writes a value so that the shell takes it as it is, and what follows the place stays as it was. */
  quote(value: string): string;
}

/** What makes the quoting of the rest of a command uncertain. Places of the prompt itself do not. */
const UNCERTAIN = /^(?:`|\$\(|\$\{(?!input:|(?:CLAUDE_[A-Z_]+|workspaceFolder|workspaceFolderBasename)\})|\$'|\$"|<<)/;

/** As much of a command as the pattern can match. */
const LONGEST_PLACE = 40;

/** Looks how the shell quotes at an index of a command. Pure. @throws ArgumentPlaceError */
export function shellPlaceAt(command: string, index: number): ShellPlace {
  let quote: "'" | '"' | "" = "";
  for (let at = 0; at < index; at++) {
    const character = command[at] ?? "";
    const isComment = quote === "" && character === "#" && /(?:^|[\s;&|()])$/.test(command.slice(0, at));
    if (quote !== "'" && (isComment || UNCERTAIN.test(command.slice(at, at + LONGEST_PLACE))))
      throw new ArgumentPlaceError(command);
    if (quote !== "'" && character === "\\") {
      at++;
      if (at >= index) throw new ArgumentPlaceError(command);
    } else if (character === quote) quote = "";
    else if (quote === "" && (character === "'" || character === '"')) quote = character;
  }
  const mark = quote;
  return { isQuoted: mark !== "", quote: (value) => `${mark}${quoteForShell(value)}${mark}` };
}

function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
