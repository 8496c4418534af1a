import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { platform } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** A program's file name on this system. */
export function programFile(name: string): string {
  return platform() === "win32" ? `${name}.exe` : name;
}

/**
 * The absolute folders of the PATH, without `node_modules/.bin`: after an install without scripts, those contain error
 * messages instead of programs.
 */
export function foldersOnPath(env: Readonly<Record<string, string>>): readonly string[] {
  return (env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !resolve(folder).endsWith(join("node_modules", ".bin")));
}

/** The paths that a program can have on the PATH. */
export function programsOnPath(name: string, env: Readonly<Record<string, string>>): readonly string[] {
  return foldersOnPath(env).map((folder) => join(folder, programFile(name)));
}

/** The first of the files that can be executed. */
export async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await isExecutable(file)) return file;
  return undefined;
}

/** Whether a file exists and can be executed. A folder is executable, too, but is not a program. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
