import { text as readAll } from "node:stream/consumers";
import type { CliEnvironment } from "../environment.ts";

/** Returns an argument's text; `-` reads standard input, without its last line break. */
export async function readText(argument: string, { stdin }: Pick<CliEnvironment, "stdin">): Promise<string> {
  return argument === "-" ? (await readAll(stdin)).replace(/\r?\n$/, "") : argument;
}
