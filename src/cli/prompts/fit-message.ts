import type { Writable } from "node:stream";
import { markAfter, markLines } from "../../view/index.ts";
import { terminalSize } from "./ask-choice.ts";

/** Columns that a prompt draws before each line. */
const INDENT = 5;

/** Lines that a prompt draws besides its message and answers, plus one empty line. */
const FRAME_ROWS = 4;

/**
 * Keeps the answers of a prompt visible. A prompt redraws its message after each key, and a message longer than the terminal
 * would hide the answers. Such a message is printed once above the prompt, where the terminal can scroll. In both places its
 * lines are marked: an agent's text cannot imitate an answer of the list, or a line of Atomic.
 *
 * @param message safe for a terminal
 * @param answers the labels of the list below the message; one empty label for a text
 */
export function fitMessage(output: Writable, message: string, answers: readonly string[] = [""]): string {
  const { columns, rows } = terminalSize(output);
  const rowsOf = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(Bun.stringWidth(line) / Math.max(1, columns - INDENT))), 0);
  const marked = markAfter("", message, columns - INDENT);
  if (marked.length + rowsOf(answers) + FRAME_ROWS <= rows) return marked.join("\n");
  const lines = message.split("\n");
  output.write(`${markLines(message, columns).join("\n")}\n`);
  const count = lines.length === 1 ? "1 line" : `${lines.length} lines`;
  return `Your answer? (The question is above, ${count}: scroll up to read it.)`;
}
