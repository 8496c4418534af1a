import { quoteForShell } from "../../contracts/index.ts";
import { firstExecutable, programsOnPath } from "../../system/index.ts";

/** How a person calls an agent's program to sign in. */
export interface LoginProgram {
  /** Its name on the PATH. */
  readonly name: string;
  readonly args: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A login command that works where it is typed: with the full path of a program that is not the one on the PATH. */
export async function loginCommandOf(program: string, { name, args, env }: LoginProgram): Promise<string> {
  const isOnPath = (await firstExecutable(programsOnPath(name, env))) === program;
  const path = /^[\w/.@+-]+$/.test(program) ? program : quoteForShell(program);
  return `${isOnPath ? name : path} ${args}`;
}
