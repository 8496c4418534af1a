import { AtomicError } from "../../contracts/index.ts";
import { InnerShell, pipesIntoShell } from "./inner-shell.ts";

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
  /** Writes a value so that the shell takes it as it is, and what follows the place stays as it was. */
  quote(value: string): string;
}

/** What makes the quoting of the rest of a command uncertain. A plain variable of the shell does not. */
const UNCERTAIN = /`|\$\(|\$\{(?!\w+\})|\$'|\$"|<</y;

/** Characters before a `#` that starts a comment. */
const BEFORE_COMMENT = /[\s;&|()<>]/;

/**
 * Reads a command once, from its start to its end, and keeps how the shell quotes there. A place is skipped as a whole: the
 * shell never sees its text, such as the apostrophe in a hint.
 */
export class ShellReader {
  readonly #command: string;
  #at = 0;
  #quote: "'" | '"' | "" = "";
  #previous = "";
  readonly #inner = new InnerShell();
  readonly #feedsShell: boolean;
  /** The length of the command with what was written so far. */
  #bytes: number;

  /** @throws CommandTooLongError */
  constructor(command: string) {
    this.#command = command;
    this.#bytes = Buffer.byteLength(command);
    this.written("");
    this.#feedsShell = pipesIntoShell(command);
  }

  /** Takes note of what was written at a place, and returns it. @throws CommandTooLongError */
  written(text: string): string {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > MAX_COMMAND_BYTES) throw new CommandTooLongError(this.#command);
    return text;
  }

  /** Reads up to the next place, and skips it. @throws ArgumentPlaceError */
  skipPlace(start: number, end: number): ShellPlace {
    while (this.#at < start) this.#readNext(start);
    // "$" would make the quote that follows it another kind of quote.
    if (this.#previous === "$" && this.#quote !== "'") throw new ArgumentPlaceError(this.#command);
    this.#at = end;
    this.#previous = "'";
    const mark = this.#quote;
    const isCode = this.#feedsShell || this.#inner.isNext();
    return {
      isQuoted: mark !== "",
      throwIfCode: () => {
        if (isCode) throw new ArgumentPlaceError(this.#command, IS_CODE);
      },
      quote: (value) => `${mark}${quoteForShell(value)}${mark}`,
    };
  }

  #readNext(end: number): void {
    const character = this.#command[this.#at] ?? "";
    if (this.#quote !== "'" && this.#isUncertain(character)) throw new ArgumentPlaceError(this.#command);
    if (this.#quote !== "'" && character === "\\") {
      this.#at++;
      if (this.#at >= end) throw new ArgumentPlaceError(this.#command);
      // Before the end of a line, it joins two lines.
      if (this.#command[this.#at] !== "\n") this.#inner.add(this.#command[this.#at] ?? "");
    } else if (character === this.#quote) this.#quote = "";
    else if (this.#quote === "" && (character === "'" || character === '"')) this.#quote = character;
    else this.#readPlain(character);
    this.#previous = character;
    this.#at++;
  }

  #readPlain(character: string): void {
    // The "&" of a redirection ends no command: 2>&1, &>file.
    const isRedirection = character === "&" && (/[<>]/.test(this.#previous) || this.#command[this.#at + 1] === ">");
    if (this.#quote === "" && /[;&|()\n]/.test(character) && !isRedirection) this.#inner.endCommand();
    else if (this.#quote === "" && /[\s<>]/.test(character)) this.#inner.endWord();
    else this.#inner.add(character);
  }

  #isUncertain(character: string): boolean {
    if (character === "#" && this.#quote === "") return this.#previous === "" || BEFORE_COMMENT.test(this.#previous);
    UNCERTAIN.lastIndex = this.#at;
    return UNCERTAIN.test(this.#command);
  }
}

function quoteForShell(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
