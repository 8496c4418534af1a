import path from "node:path";
import type { CommandLineObstacle, ShellCommand, ShellWord } from "./shell-line.ts";

/** Words that begin something other than a simple command in sh, bash, zsh or fish. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  ..."! [[ ]] {{ }} { } (( )) - if then elif else fi for foreach while until do done case esac select in end".split(
    " ",
  ),
  ..."function coproc repeat and or not begin switch".split(" "),
]);

/** A name that all shells read alike: not a job (`%1`), a path by name (`=ls`) or a correction (`^a^b`). */
const PLAIN_NAME = /^(?:[A-Za-z0-9_./+\\][A-Za-z0-9_./+@%:,=\\ -]*|\[|:)$/;
const HOME_NAME = /^~\/[A-Za-z0-9_./+@-]+$/;

/** `NAME=value`, `NAME+=value`, `NAME[…]=value`. */
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/;

/** Whether a word before the program sets a variable. */
export function isAssignment({ value }: ShellWord): boolean {
  return ASSIGNMENT.test(value);
}

/** The index of the program among the words, after assignments; the number of words if there is none. */
export function programIndex(words: readonly ShellWord[]): number {
  const index = words.findIndex((word) => !isAssignment(word));
  return index === -1 ? words.length : index;
}

/** Why a command is not a simple one whose program is plain text. */
export function commandObstacle({ words }: ShellCommand): CommandLineObstacle | undefined {
  const program = words[programIndex(words)];
  return program === undefined ? undefined : nameObstacle(program);
}

/** Why a word is not the plain name of a program. */
export function nameObstacle({ raw, value, isLiteral }: ShellWord): CommandLineObstacle | undefined {
  if (RESERVED_WORDS.has(value)) return "reserved-word";
  const isPlain = (isLiteral && PLAIN_NAME.test(value)) || HOME_NAME.test(raw);
  return isPlain ? undefined : "command-name";
}

/** The program's name without folder and `.exe`, in lower case because some file systems ignore case. */
export function programName(value: string): string {
  const name = value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\")) + 1).toLowerCase();
  return name.endsWith(".exe") ? name.slice(0, -4) : name;
}

/** Whether a word is `$?` or `$#`, quoted or not. Their values are always numbers. */
export function isStatusParameter({ raw }: ShellWord): boolean {
  return /^(?:\$[?#]|"\$[?#]")$/.test(raw);
}

/** Whether a program may receive the word as an option. */
export function mayBeOption(word: ShellWord): boolean {
  const { value, isLiteral, literalLength, mayDivide } = word;
  if (isStatusParameter(word)) return false;
  if (isLiteral) return value.startsWith("-");
  return mayDivide || literalLength === 0 || value.startsWith("-");
}

/** Whether a word is certainly the absolute working directory or a folder below it. */
export function isProjectFolder({ value, isLiteral }: ShellWord, workingDirectory: string): boolean {
  // After a link, `..` leads elsewhere.
  if (!isLiteral || value.split(/[/\\]/).includes("..")) return false;
  const relative = path.relative(workingDirectory, path.resolve(workingDirectory, value));
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
