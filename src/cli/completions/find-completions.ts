import type { Argument, Command, Option } from "commander";

/** A word that a shell offers. */
export interface Completion {
  readonly value: string;
  /** @default none */
  readonly description?: string;
}

/** What belongs at a place of a call. */
export interface CompletionPlace {
  /** The name of the argument, or of the option with its dashes. */
  readonly name: string;
  /** The commands down to the one that is called, such as `runs`, `show`. */
  readonly commands: readonly string[];
  /** The arguments before the place. */
  readonly before: readonly string[];
}

/** What a shell offers for the last word of a call. */
export interface Completions {
  readonly words: readonly Completion[];
  /** The value at this place, if one belongs there; its possible values depend on the project. */
  readonly place?: CompletionPlace;
  /** What the word begins with that is not part of the value: `--agent=`. */
  readonly prefix: string;
  /** The part of the value that has been typed. */
  readonly typed: string;
}

/** Finds what may follow in a call, without the values that depend on the project. Pure. @param words the last one is incomplete */
export function findCompletions(program: Command, words: readonly string[]): Completions {
  const { command, commands, before, option, isAfterDashes } = readCall(program, joinEqualSigns(words.slice(0, -1)));
  const last = words.at(-1) ?? "";
  // Bash makes an equal sign a word of its own.
  const typed = last === "=" ? "" : last;
  const at = (name: string): CompletionPlace => ({ name, commands, before });
  if (option !== undefined) return { words: [], place: at(option.long ?? option.flags), prefix: "", typed };
  const [, prefix, rest] = isAfterDashes ? [] : (/^(--[^=]+=)(.*)$/s.exec(typed) ?? []);
  if (prefix !== undefined && rest !== undefined) {
    return { words: [], place: at(prefix.slice(0, -1)), prefix, typed: rest };
  }
  if (typed.startsWith("-") && !isAfterDashes) return { words: optionsOf(command), prefix: "", typed };
  const inner = before.length === 0 ? subcommandsOf(command) : [];
  const argument = argumentAt(command, before.length);
  return { words: inner, prefix: "", typed, ...(argument && { place: at(argument.name()) }) };
}

interface ReadCall {
  readonly command: Command;
  readonly commands: readonly string[];
  readonly before: readonly string[];
  /** The option whose value is missing. */
  readonly option: Option | undefined;
  readonly isAfterDashes: boolean;
}

function readCall(program: Command, words: readonly string[]): ReadCall {
  let command = program;
  let option: Option | undefined;
  let isAfterDashes = false;
  const commands: string[] = [];
  const before: string[] = [];
  for (const word of words) {
    if (option !== undefined) {
      option = undefined;
    } else if (isAfterDashes || !word.startsWith("-") || word === "-") {
      const inner = before.length === 0 && !isAfterDashes ? findSubcommand(command, word) : undefined;
      if (inner === undefined) before.push(word);
      else commands.push(inner.name());
      command = inner ?? command;
    } else if (word === "--") {
      isAfterDashes = true;
    } else {
      const known = command.options.find(({ short, long }) => short === word || long === word);
      option = known?.required === true ? known : undefined;
    }
  }
  return { command, commands, before, option, isAfterDashes };
}

/** `--agent`, `=`, `x`, as bash splits it, is `--agent`, `x`. */
function joinEqualSigns(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => word !== "=" || words[index - 1]?.startsWith("--") !== true);
}

function findSubcommand({ commands }: Command, word: string): Command | undefined {
  return commands.find((inner) => inner.name() === word || inner.aliases().includes(word));
}

function subcommandsOf(command: Command): readonly Completion[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((inner) => ({ value: inner.name(), description: inner.description() }));
}

function optionsOf(command: Command): readonly Completion[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, short, description }) =>
      [long, short].flatMap((value) => (value ? [{ value, description }] : [])),
    );
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}
