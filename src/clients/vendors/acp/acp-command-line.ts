import path from "node:path";

/** A command line of which a shell would make these arguments. `sh -c LINE`, with the system's own shell, is the line itself. */
export function joinCommand(parts: readonly string[]): string {
  const [shell = "", flag = "", line] = parts;
  if (parts.length === 3 && SYSTEM_SHELL.test(shell) && /^-l?c$/.test(flag)) return line ?? "";
  return parts.map(quote).join(" ");
}

/** A file in any other folder may be called `sh`, too, and do something else. */
const SYSTEM_SHELL = /^(?:(?:\/usr)?\/bin\/)?(?:ba|z|da)?sh$/;

/** Where and with what a command runs. */
export interface CommandSurroundings {
  /** The absolute folder in which commands run that name no other. */
  readonly workingDirectory: string;
  /** The folder it runs in. Relative to the working directory. @default the working directory */
  readonly folder?: string;
  /** What is added to its environment, as pairs of name and value. @default nothing */
  readonly addedEnv?: readonly (readonly [name: string, value: string])[];
}

/**
 * The command line that policies and people judge: `cd FOLDER && NAME=value LINE`. Another folder or another `PATH` makes
 * something else of the same words, so that a rule for the words alone must not cover it. Pure.
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
