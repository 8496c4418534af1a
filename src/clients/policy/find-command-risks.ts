import { outputOperands } from "./output-operands.ts";
import { findPrograms } from "./programs/find-program.ts";
import { GIT_PROGRAM } from "./programs/git-program.ts";
import type { RiskyArguments, RiskyProgram, Wrapper } from "./programs/risky-program.ts";
import { scriptRisk } from "./script-risk.ts";
import type { ShellCommand, ShellWord } from "./shell-line.ts";
import {
  isAssignment,
  isProjectFolder,
  mayBeOption,
  nameObstacle,
  programIndex,
  programName,
} from "./simple-command.ts";

/** A part of a command that runs something else than the command's program. It requires approval. */
export interface CommandRisk {
  /** Where it stands in the command's text; a rule that allows it has to spell out these characters. */
  readonly start: number;
  readonly end: number;
  /** The part itself. */
  readonly text: string;
  readonly program: string;
  /** A clause, for people. */
  readonly reason: string;
}

const UNKNOWN = "only a running shell knows its value, which may be an option that runs programs";
const ASSIGNS = "it sets a variable that the program and what it runs obey";
const WRAPS = "it runs the command that follows";

/** So deep may programs that run commands be nested: `sudo nice env …`. */
const MAX_DEPTH = 8;

/**
 * The parts of a simple command that run, or may run, something else than its program: assignments, options and
 * operands listed in `programs/`, and words whose value is not known where those could stand. Empty for a harmless one.
 * Linear in the command's length. `workingDirectory` is absolute. Pure.
 */
export function findCommandRisks(command: ShellCommand, workingDirectory: string): readonly CommandRisk[] {
  const { words } = command;
  const index = programIndex(words);
  const assignments = words.slice(0, index).map((word) => riskOf(word, "the shell", ASSIGNS));
  return [...assignments, ...new ProgramRisks(command, workingDirectory).find(words.slice(index), 0)];
}

/** The risks of one command. */
class ProgramRisks {
  readonly #command: ShellCommand;
  readonly #workingDirectory: string;

  constructor(command: ShellCommand, workingDirectory: string) {
    this.#command = command;
    this.#workingDirectory = workingDirectory;
  }

  /** `words` begin with a program. */
  find(words: readonly ShellWord[], depth: number): readonly CommandRisk[] {
    const [first, ...others] = words;
    if (first === undefined) return [];
    const name = programName(first.value);
    // Git's subcommands are programs, too.
    if (name.startsWith("git-")) {
      return subcommandRisks("git", GIT_PROGRAM, [{ ...first, value: name.slice(4), isLiteral: true }, ...others]);
    }
    return findPrograms(name).flatMap((program) => [
      ...argumentRisks(name, program, this.#withoutFolders(program, others)),
      ...this.#wrapped(name, program, words, depth),
    ]);
  }

  /** The arguments without the folders of the project that the program shall work in. */
  #withoutFolders({ folderOption }: RiskyProgram, words: readonly ShellWord[]): readonly ShellWord[] {
    const [option, folder] = words;
    if (folderOption === undefined || option?.isLiteral !== true || option.value !== folderOption) return words;
    const isHarmless = folder !== undefined && isProjectFolder(folder, this.#workingDirectory);
    return isHarmless ? this.#withoutFolders({ names: [], folderOption }, words.slice(2)) : words;
  }

  /** The command that a program runs has to be spelled out up to its name, and is judged itself. */
  #wrapped(
    name: string,
    { wrapper }: RiskyProgram,
    words: readonly ShellWord[],
    depth: number,
  ): readonly CommandRisk[] {
    if (wrapper === undefined || words.length < 2) return [];
    const others = words.slice(1);
    if (others.every(({ value }, at) => (at > 0 && !value.startsWith("-")) || wrapper.queries?.includes(value)))
      return [];
    const at = wrappedIndex(wrapper, others);
    const program = at === undefined ? undefined : others[at];
    if (at === undefined || program === undefined || depth >= MAX_DEPTH || nameObstacle(program) !== undefined) {
      return this.#spanOf(others, name, WRAPS);
    }
    const options = wrapper.isOpen
      ? others.slice(0, at).filter(({ isLiteral }) => !isLiteral)
      : others.slice(0, at + 1);
    const inner = others.slice(at);
    const risks = this.find(wrapper.addsArguments ? [...inner, this.#unknownWord()] : inner, depth + 1);
    return [...this.#spanOf(options, name, WRAPS), ...risks];
  }

  /** Stands for arguments that the line does not show: only the whole text of the command can spell them out. */
  #unknownWord(): ShellWord {
    const { text } = this.#command;
    return {
      raw: text,
      start: 0,
      end: text.length,
      value: "",
      isLiteral: false,
      literalLength: 0,
      isGlob: false,
      mayDivide: true,
    };
  }

  /** One risk from the first of the words to the last. */
  #spanOf(words: readonly ShellWord[], program: string, reason: string): readonly CommandRisk[] {
    const [first, last] = [words[0], words.at(-1)];
    if (first === undefined || last === undefined) return [];
    const [start, end] = [first.start, last.end];
    return [{ start, end, text: this.#command.text.slice(start, end), program, reason }];
  }
}

/** The place of the command among a wrapper's arguments; undefined when it is not certain. */
function wrappedIndex(wrapper: Wrapper, words: readonly ShellWord[]): number | undefined {
  let operands = wrapper.operands ?? 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined || !word.isLiteral) return undefined;
    const { value } = word;
    if (value === "--") continue;
    if (value.startsWith("-")) {
      if (wrapper.valued.includes(value)) index++;
      else if (!isKnownOption(wrapper, value)) return undefined;
    } else if (!(wrapper.hasAssignments && isAssignment(word))) {
      if (operands === 0) return index;
      operands--;
    }
  }
  return undefined;
}

function isKnownOption({ flags, valued }: Wrapper, value: string): boolean {
  if (flags.includes(value)) return true;
  const glued = valued.some((option) =>
    option.startsWith("--") ? value.startsWith(`${option}=`) : value.startsWith(option),
  );
  return glued && !value.slice(1).includes(" ");
}

function riskOf({ start, end, raw }: ShellWord, program: string, reason: string): CommandRisk {
  return { start, end, text: raw, program, reason };
}

/** What the program's own table says about its arguments. */
function argumentRisks(name: string, program: RiskyProgram, words: readonly ShellWord[]): readonly CommandRisk[] {
  const { subcommands } = program;
  const script = program.script === undefined ? undefined : scriptRisk(program.script, words);
  const { outputs } = program;
  const values = [
    ...(script === undefined ? [] : [riskOf(script.word, name, script.reason)]),
    ...(outputs === undefined ? [] : outputOperands(words, outputs).map((word) => riskOf(word, name, outputs.reason))),
  ];
  if (subcommands === undefined) return [...new ArgumentReader(name, program).read(words), ...values];
  const at = subcommandIndex(program, words);
  const { commands: _, ...options } = program;
  const before = new ArgumentReader(name, options).read(words.slice(0, at));
  // The option in front of it may have a value, which then is not the subcommand.
  const mayBeValue = at > 0 && words[at - 1]?.value.startsWith("-") === true;
  const places = mayBeValue ? [at, at + 1 + subcommandIndex(program, words.slice(at + 1))] : [at];
  return [...before, ...places.flatMap((place) => subcommandRisks(name, program, words.slice(place)))];
}

/** `words` begin with the subcommand. */
function subcommandRisks(name: string, program: RiskyProgram, words: readonly ShellWord[]): readonly CommandRisk[] {
  const [subcommand, ...others] = words;
  if (subcommand === undefined) return [];
  const { value, isLiteral } = subcommand;
  if (!isLiteral) return [riskOf(subcommand, name, UNKNOWN)];
  if (program.commands?.pattern.test(value)) return [riskOf(subcommand, name, program.commands.reason)];
  const own = Object.hasOwn(program.subcommands ?? {}, value) ? program.subcommands?.[value] : undefined;
  const { commands: _, settings: __, ...shared } = program;
  const rules = own ?? { ...shared, ...program.otherSubcommands };
  const { everything } = rules;
  if (everything !== undefined && everything.exempt === undefined) return [riskOf(subcommand, name, everything.reason)];
  return new ArgumentReader(`${name} ${value}`, rules).read(others);
}

function subcommandIndex({ valuedBefore = [] }: RiskyProgram, words: readonly ShellWord[]): number {
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined || !mayBeOption(word)) return index;
    if (valuedBefore.includes(word.value)) index++;
  }
  return words.length;
}

type ArgumentRules = RiskyArguments & Pick<RiskyProgram, "stopsAtScript" | "hasBareOptions">;

/** Reads the arguments of one program, or subcommand, in order. */
class ArgumentReader {
  readonly #name: string;
  readonly #rules: ArgumentRules;
  readonly #options: readonly (readonly [string, string])[];
  /** The table has long options with one dash, so that short ones cannot be joined. */
  readonly #hasWords: boolean;

  constructor(name: string, rules: ArgumentRules) {
    this.#name = name;
    this.#rules = rules;
    this.#options = Object.entries(rules.options ?? {});
    this.#hasWords = this.#options.some(([option]) => /^-[^-]./.test(option));
  }

  read(words: readonly ShellWord[]): readonly CommandRisk[] {
    const { everything, operands, commands, settings } = this.#rules;
    if (everything !== undefined) return this.#readEverything(words, everything);
    if (this.#options.length === 0 && operands === undefined && commands === undefined && settings === undefined)
      return [];
    const risks: CommandRisk[] = [];
    const { stopsAtScript = false, hasBareOptions = false } = this.#rules;
    let isCommand = true;
    for (const [index, word] of words.entries()) {
      const isBehindOption = words[index - 1]?.value.startsWith("-") ?? false;
      if (word.value === "--" && word.isLiteral && !isBehindOption && (commands === undefined || !isCommand)) {
        risks.push(...words.slice(index + 1).flatMap((operand) => this.#operandRisk(operand, false)));
        break;
      }
      if (index === 0 && hasBareOptions && !word.value.startsWith("-"))
        risks.push(...this.#clusterRisk(word, `-${word.value}`, ""));
      if (mayBeOption(word)) {
        risks.push(...this.#optionRisk(word, words[index + 1]));
        if (operands?.isWithinOptions) risks.push(...this.#operandRisk(word, false));
      } else {
        risks.push(...this.#operandRisk(word, isCommand));
        if (!isBehindOption) isCommand = false;
        if (stopsAtScript && !isBehindOption) return risks;
      }
    }
    return stopsAtScript ? [...risks, ...this.#standardInputRisk(words)] : risks;
  }

  /** An interpreter without a script, or with `-`, takes its code from the standard input. */
  #standardInputRisk(words: readonly ShellWord[]): readonly CommandRisk[] {
    const last = words.at(-1);
    const isQuery = words.every(({ value }) => /^(?:-[vVh]|--version|--help|--test|--list)$/.test(value));
    const hasScript = words.some(({ value, isLiteral }) => isLiteral && !/^-|^\/(?:dev|proc)\//.test(value));
    if (last === undefined || isQuery || hasScript) return [];
    return [riskOf(last, this.#name, "without a script it runs the code of its standard input")];
  }

  #readEverything(
    words: readonly ShellWord[],
    { reason, exempt }: NonNullable<RiskyArguments["everything"]>,
  ): readonly CommandRisk[] {
    const text = words.map(({ value, raw, isLiteral }) => (isLiteral ? value : raw)).join(" ");
    if (words.length === 0 || (exempt?.test(text) && words.every((word) => word.isLiteral || !mayBeOption(word))))
      return [];
    return words.map((word) => riskOf(word, this.#name, reason));
  }

  #operandRisk(word: ShellWord, isCommand: boolean): readonly CommandRisk[] {
    const { operands, commands } = this.#rules;
    if (operands?.pattern.test(word.value)) return [riskOf(word, this.#name, operands.reason)];
    if (this.#rules.stopsAtScript === true && /^\/(?:dev|proc)\//.test(word.value)) {
      return [riskOf(word, this.#name, "it runs code that another program passes on")];
    }
    if (!isCommand || commands === undefined) return [];
    if (!word.isLiteral) return [riskOf(word, this.#name, UNKNOWN)];
    return commands.pattern.test(word.value) ? [riskOf(word, this.#name, commands.reason)] : [];
  }

  #optionRisk(word: ShellWord, next: ShellWord | undefined): readonly CommandRisk[] {
    const { value, isLiteral } = word;
    const setting = this.#settingRisk(word, next);
    if (setting !== undefined) return setting;
    if (this.#hasWords && word.isGlob) return this.#globRisk(word);
    if (!isLiteral && !this.#isNamed(word)) return [riskOf(word, this.#name, UNKNOWN)];
    return value.startsWith("--") || this.#hasWords
      ? this.#longRisk(word)
      : this.#clusterRisk(word, value, this.#rules.valued ?? "");
  }

  /** Whether the name of the option is literal, though its value is not. */
  #isNamed({ value, literalLength, mayDivide }: ShellWord): boolean {
    if (mayDivide) return false;
    const name = value.slice(0, literalLength);
    return (
      /^--[A-Za-z0-9-]+=/.test(name) ||
      (/^-[A-Za-z0-9]/.test(name) && (this.#rules.valued ?? "").includes(name.charAt(1)))
    );
  }

  #longRisk(word: ShellWord): readonly CommandRisk[] {
    const { valued = "", harmless = [] } = this.#rules;
    const equals = word.value.indexOf("=");
    const name = equals < 0 ? word.value : word.value.slice(0, equals);
    if (harmless.includes(name)) return [];
    const isExact = this.#hasWords;
    const found = this.#options.find(([option]) => {
      if (option === name || (isExact && `-${option}` === name)) return true;
      if (option.startsWith("--")) return name.length > 2 && option.startsWith(name);
      return (
        isExact && option.length === 2 && !valued.includes(option) && name.startsWith(option) && /^-[A-Z]/.test(option)
      );
    });
    return found === undefined ? [] : [this.#leadingRisk(word, `${name}=`, found[1])];
  }

  /** An option with its value in the same word: a rule has to spell out the option only. */
  #leadingRisk(word: ShellWord, option: string, reason: string): CommandRisk {
    const risk = riskOf(word, this.#name, reason);
    return word.raw.startsWith(option) ? { ...risk, end: word.start + option.length, text: option } : risk;
  }

  /** `letters` begin with a dash. */
  #clusterRisk(word: ShellWord, letters: string, valued: string): readonly CommandRisk[] {
    let read = "-";
    for (const letter of letters.slice(1)) {
      read += letter;
      const found = this.#options.find(([option]) => option === `-${letter}`);
      if (found !== undefined) return [this.#leadingRisk(word, read, found[1])];
      if (valued.includes(letter)) return [];
    }
    return [];
  }

  /** A glob among exact words: it is harmless when it matches none of them. */
  #globRisk(word: ShellWord): readonly CommandRisk[] {
    const tail = /[^*?]*$/.exec(word.value)?.[0] ?? "";
    const matches = tail === "" || this.#options.some(([option]) => option.endsWith(tail));
    return matches ? [riskOf(word, this.#name, UNKNOWN)] : [];
  }

  /** Undefined when the word is no option that sets something by name. */
  #settingRisk(word: ShellWord, next: ShellWord | undefined): readonly CommandRisk[] | undefined {
    const { settings } = this.#rules;
    if (settings === undefined || !word.isLiteral) return undefined;
    const long = settings.options.find(
      (option) =>
        option.startsWith("--") &&
        word.value.length > 3 &&
        (option.startsWith(word.value) || word.value.startsWith(`${option}=`)),
    );
    const short = settings.options.find((option) => !option.startsWith("--") && word.value.startsWith(option));
    const option = long ?? short ?? this.#joinedSetting(word.value);
    if (option === undefined) return undefined;
    const glued =
      long === undefined
        ? word.value.slice(word.value.indexOf(option.slice(-1)) + 1)
        : word.value.slice(option.length + 1);
    const setting = glued === "" ? next : undefined;
    const name =
      (setting === undefined ? glued : setting.value.slice(0, setting.literalLength)).split(/[=\s]/)[0] ?? "";
    const isWhole =
      setting === undefined || setting.isLiteral || setting.value.slice(0, setting.literalLength).includes("=");
    const isOneLine = !glued.includes("\n") && !next?.value.includes("\n");
    if (isWhole && isOneLine && settings.harmless.test(name)) return [];
    const { start } = word;
    if (setting === undefined) return [riskOf(word, this.#name, settings.reason)];
    return [
      { ...riskOf(word, this.#name, settings.reason), start, text: `${word.raw} ${setting.raw}` },
      riskOf(setting, this.#name, settings.reason),
    ];
  }

  /** A short option that sets something, behind others in the same word. */
  #joinedSetting(value: string): string | undefined {
    if (!/^-[A-Za-z0-9]/.test(value)) return undefined;
    for (const letter of value.slice(1)) {
      if (this.#rules.settings?.options.includes(`-${letter}`)) return `-${letter}`;
      if (this.#options.some(([option]) => option === `-${letter}`)) return undefined;
      if (this.#rules.valued?.includes(letter)) return undefined;
    }
    return undefined;
  }
}
