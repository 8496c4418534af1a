import path from "node:path";

/** A command line that a shell splits into these arguments. `sh -c LINE`, with the system's own shell, becomes LINE. */
export function joinCommand(parts: readonly string[]): string {
  const [shell = "", flag = "", line] = parts;
  if (parts.length === 3 && SYSTEM_SHELL.test(shell) && /^-l?c$/.test(flag)) return line ?? "";
  return parts.map(quote).join(" ");
}

/** A program named `sh` in any other folder may not be a shell. */
const SYSTEM_SHELL = /^(?:(?:\/usr)?\/bin\/)?(?:ba|z|da)?sh$/;

/** The folder and the environment of a command. */
export interface CommandSurroundings {
  /** The default folder of commands. Absolute. */
  readonly workingDirectory: string;
  /** The command's folder. Relative to the working directory. @default the working directory */
  readonly folder?: string;
  /** Variables added to its environment, as pairs of name and value. @default none */
  readonly addedEnv?: readonly (readonly [name: string, value: string])[];
}

/**
 * The command line that policies and people see: `cd FOLDER && NAME=value LINE`. The same words mean something else in
 * another folder or with another `PATH`, so a rule for the words alone must not cover them. Pure.
 */
export function describeCommand(
  line: string,
  { workingDirectory, folder = "", addedEnv = [] }: CommandSurroundings,
): string {
  const place = path.resolve(workingDirectory, folder);
  const assignments = addedEnv.map(([name, value]) => `${quote(name)}=${quote(value)} `);
  const step = place === path.resolve(workingDirectory) ? "" : `cd ${quote(place)} && `;
  return `${step}${assignments.join("")}${line}`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
