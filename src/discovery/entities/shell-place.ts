import { AtomicError, quoteForShell } from "../../contracts/index.ts";
import { findCode } from "./inner-shell.ts";
import { readShellWords, type SimpleCommand, type Span } from "./shell-words.ts";

const UNQUOTABLE =
  "after a backslash, a comment, a substitution or a here-document. Write the argument before it, or in plain quotes.";

const IS_CODE =
  "for a shell or an interpreter within it (sh -c, eval, ssh, | sh, python -c, awk), which would run the argument as code. Move that code into a script, and pass the argument to the script.";

/** A command in a prompt has a place for an argument where no quoting makes the argument safe. */
export class ArgumentPlaceError extends AtomicError {
  /** Another attempt meets the same text. */
  readonly isRetryable = false;

  constructor(
    readonly command: string,
    reason: string = UNQUOTABLE,
  ) {
    super("PROMPT_ARGUMENT_PLACE", `The command "${shortenCommand(command)}" in the prompt has an argument ${reason}`);
  }
}

/** The longest command line, in bytes: systems start no program with an argument of twice this length. */
const MAX_COMMAND_BYTES = 65_536;

/** A command in a prompt is longer than systems run. */
export class CommandTooLongError extends AtomicError {
  /** Another attempt meets the same text. */
  readonly isRetryable = false;

  constructor(readonly command: string) {
    super(
      "PROMPT_COMMAND_TOO_LONG",
      `The command "${shortenCommand(command)}" in the prompt is longer than ${MAX_COMMAND_BYTES} bytes with its arguments. Move it into a script, or pass shorter arguments.`,
    );
  }
}

/** How much of a long command's start and end is shown, in characters. */
const SHOWN_LENGTH = 200;

/** A command for a message: the middle of a very long one is left out. Pure. */
export function shortenCommand(command: string): string {
  const hidden = command.length - 2 * SHOWN_LENGTH;
  if (hidden <= SHOWN_LENGTH) return command;
  return `${command.slice(0, SHOWN_LENGTH)} … ${hidden} more characters … ${command.slice(-SHOWN_LENGTH)}`;
}

/** How a value is written at a place of a command. */
export interface ShellPlace {
  /** Whether the place is between quotes, so that several words are one value. */
  readonly isQuoted: boolean;
  /** Throws where a shell or an interpreter within the command would read the value as code. @throws ArgumentPlaceError */
  throwIfCode(): void;
  /**
   * Writes a value so that the shell takes it as it is, and what follows the place stays as it was.
   *
   * @throws ArgumentPlaceError where nothing makes a value safe
   */
  quote(value: string): string;
}

/**
 * Reads how the shell would read each place of a command. Pure.
 *
 * @param spans where the places are, in their order
 * @throws CommandTooLongError
 */
export function readShellPlaces(command: string, spans: readonly Span[]): readonly ShellPlace[] {
  throwIfTooLong(command, Buffer.byteLength(command));
  const { commands, places } = readShellWords(command, spans);
  const isCode = placesOfCode(commands);
  return places.map(({ mark, isUncertain }, number) => ({
    isQuoted: mark !== "",
    throwIfCode() {
      if (isUncertain) throw new ArgumentPlaceError(command);
      if (isCode(number)) throw new ArgumentPlaceError(command, IS_CODE);
    },
    quote(value) {
      if (isUncertain) throw new ArgumentPlaceError(command);
      return `${mark}${quoteForShell(value)}${mark}`;
    },
  }));
}

/** @throws CommandTooLongError */
export function throwIfTooLong(command: string, bytes: number): void {
  if (bytes > MAX_COMMAND_BYTES) throw new CommandTooLongError(command);
}

/** What precedes a program that runs its input as code may reach it in many ways, such as a variable in a loop. */
function placesOfCode(commands: readonly SimpleCommand[]): (number: number) => boolean {
  const inCode = new Set<number>();
  let feeding = 0;
  for (const { words, isPiped, placesBefore } of commands) {
    const found = findCode(words.map(({ text }) => text));
    for (const index of found.words) for (const number of words[index]?.places ?? []) inCode.add(number);
    if (isPiped && found.isInput) feeding = placesBefore;
  }
  return (number) => number < feeding || inCode.has(number);
}
