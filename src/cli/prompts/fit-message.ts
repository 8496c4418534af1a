import type { Writable } from "node:stream";
import { terminalSize } from "./ask-choice.ts";

/** Columns that a prompt draws in front of each line. */
const INDENT = 5;

/** Lines that a prompt draws besides its message and its answers, and one that stays free. */
const FRAME_ROWS = 4;

/**
 * The message of a prompt whose answers must stay on the screen: a prompt draws its message anew with each key, and one
 * that is higher than the terminal hides what is to be chosen. A long one is written above the prompt instead, once and
 * whole, where the terminal can scroll.
 *
 * @param message as it is shown, safe for a terminal
 * @param answers the labels of the list below it; none for a text
 */
export function fitMessage(output: Writable, message: string, answers: readonly string[] = [""]): string {
  const { columns, rows } = terminalSize(output);
  const rowsOf = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(Bun.stringWidth(line) / Math.max(1, columns - INDENT))), 0);
  const lines = message.split("\n");
  if (rowsOf(lines) + rowsOf(answers) + FRAME_ROWS <= rows) return message;
  output.write(`${message}\n`);
  const count = lines.length === 1 ? "1 line" : `${lines.length} lines`;
  return `Your answer? (The question stands above, ${count}: scroll up for what is hidden.)`;
}
