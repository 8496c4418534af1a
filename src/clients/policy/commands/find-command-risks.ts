import { findPrograms } from "../programs/find-program.ts";
import { GIT_PROGRAM } from "../programs/git-program.ts";
import type { RiskyProgram, Wrapper } from "../programs/risky-program.ts";
import type { ShellCommand, ShellWord } from "../shell/shell-line.ts";
import {
  isAssignment,
  isProjectFolder,
  mayBeOption,
  nameObstacle,
  programIndex,
  programName,
} from "../shell/simple-command.ts";
import { ArgumentReader } from "./argument-reader.ts";
import { type CommandRisk, riskOf, UNKNOWN } from "./command-risk.ts";
import { outputOperands } from "./output-operands.ts";
import { scriptRisk } from "./script-risk.ts";

const ASSIGNS = "it sets a variable that the program and what it runs obey";
const UNKNOWN_OPTION = "whether the option takes the next word is not known, so neither is the subcommand";
const WRAPS = "it runs the command that follows";

/** How deep programs that run commands may be nested: `sudo nice env …`. */
const MAX_DEPTH = 8;

/**
 * The parts of a simple command that run, or may run, something other than its program: assignments, options and operands
 * listed in `programs/`, and words of unknown value in their place. Empty for a harmless command. Linear in the command's
 * length. `workingDirectory` is absolute. Pure.
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

  /** The arguments without the project folder that the program is to work in. */
  #withoutFolders({ folderOption }: RiskyProgram, words: readonly ShellWord[]): readonly ShellWord[] {
    const [option, folder] = words;
    if (folderOption === undefined || option?.isLiteral !== true || option.value !== folderOption) return words;
    const isHarmless = folder !== undefined && isProjectFolder(folder, this.#workingDirectory);
    return isHarmless ? this.#withoutFolders({ names: [], folderOption }, words.slice(2)) : words;
  }

  /** A rule must spell out the command that a program runs up to its name. The command itself is judged separately. */
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

  /** Represents arguments that the line does not show: only the whole text of the command spells them out. */
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

/** The index of the command among a wrapper's arguments; undefined when it is not certain. */
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

/** What the program's own table contains about its arguments. */
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
  const unknown = unknownSpan(program, words.slice(0, at));
  if (unknown !== undefined) return [...before, ...restOf(words.slice(unknown), name)];
  return [...before, ...subcommandRisks(name, program, words.slice(at))];
}

/** All of the words as one risk, because the subcommand among them is unknown. */
function restOf(words: readonly ShellWord[], program: string): readonly CommandRisk[] {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return [];
  const text = words.map(({ raw }) => raw).join(" ");
  return [{ start: first.start, end: last.end, text, program, reason: UNKNOWN_OPTION }];
}

/** The index of the first word before the subcommand that is not an option with a known number of values. */
function unknownSpan(program: RiskyProgram, words: readonly ShellWord[]): number | undefined {
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    const taken = word === undefined ? 0 : wordsOf(program, word, words[index + 1]);
    if (taken === 0 || words.slice(index, index + taken).some(({ mayDivide }) => mayDivide)) return index;
    index += taken - 1;
  }
  return undefined;
}

/** How many words a known option before the subcommand takes; 0 for an unknown one. */
function wordsOf(program: RiskyProgram, { value, isLiteral }: ShellWord, next: ShellWord | undefined): number {
  const { valuedBefore = [], flagsBefore = [] } = program;
  if (valuedBefore.includes(value) && isLiteral) return 2;
  if (flagsBefore.includes(value) && isLiteral) return /^(?:true|false|null)$/.test(next?.value ?? "") ? 2 : 1;
  return [...valuedBefore, ...flagsBefore].some((option) => option.startsWith("--") && value.startsWith(`${option}=`))
    ? 1
    : 0;
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

function subcommandIndex(program: RiskyProgram, words: readonly ShellWord[]): number {
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined || !mayBeOption(word)) return index;
    index += Math.max(wordsOf(program, word, words[index + 1]) - 1, 0);
  }
  return words.length;
}
