import { text as readAll } from "node:stream/consumers";
import type { CliEnvironment } from "../environment.ts";

/** A text that was given as an argument; `-` stands for standard input, whose last line break is none of the text's. */
export async function readText(argument: string, { stdin }: Pick<CliEnvironment, "stdin">): Promise<string> {
  return argument === "-" ? (await readAll(stdin)).replace(/\r?\n$/, "") : argument;
}
