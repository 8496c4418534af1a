import type { ShellCommand, ShellWord } from "../shell/shell-line.ts";
import { isProjectFolder, programIndex, programName } from "../shell/simple-command.ts";
import type { CommandRisk } from "./command-risk.ts";

/** Builtins of sh, bash, zsh and fish that change to the folder that they name. */
const CHANGING: ReadonlySet<string> = new Set(["cd", "chdir", "pushd"]);

/** Words before a builtin that do not change what it does. */
const PREFIXES: ReadonlySet<string> = new Set(["builtin", "command", "noglob", "nocorrect", "time", "-p"]);

/** Programs that run what the settings of the surrounding repository name. */
const REPOSITORY_PROGRAMS: ReadonlySet<string> = new Set(["git", "gh", "glab", "hub", "tig"]);

const REASON = "git runs programs that the repository in that folder names";

/**
 * For each command of a line, the parts that could take a later git out of the project. They count like `git -C` in the
 * same place. Linear. Pure.
 */
export function findFolderRisks(
  commands: readonly ShellCommand[],
  workingDirectory: string,
): readonly (readonly CommandRisk[])[] {
  const last = commands.findLastIndex(({ words }) => words.some(isRepositoryProgram));
  // Rules know commands by their text, so all commands with the same text have the same risks.
  const before = new Set(commands.slice(0, Math.max(last, 0)).map(({ text }) => text));
  return commands.map((command) => (before.has(command.text) ? leavingRisks(command, workingDirectory) : []));
}

function isRepositoryProgram({ value }: ShellWord): boolean {
  const name = programName(value);
  return REPOSITORY_PROGRAMS.has(name) || name.startsWith("git-");
}

function leavingRisks({ text, words }: ShellCommand, workingDirectory: string): readonly CommandRisk[] {
  const [program, ...operands] = words.slice(programIndex(words)).filter(({ value }) => !PREFIXES.has(value));
  if (program === undefined || !CHANGING.has(program.value)) return [];
  const [folder, ...others] = operands.filter(({ value }) => !/^-(?:[LPeqs]+|-)$/.test(value));
  // Without an operand it changes to the user's home folder, or to one that an earlier command named.
  if (folder === undefined) return [];
  const isPlain = others.length === 0 && !/^[-+]/.test(folder.value);
  if (isPlain && isProjectFolder(folder, workingDirectory)) return [];
  const { start } = folder;
  return [{ start, end: text.length, text: text.slice(start), program: program.value, reason: REASON }];
}
