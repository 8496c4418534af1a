import type { TextOutput } from "../environment.ts";
import { terminalSize } from "../prompts/ask-choice.ts";

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const SAVE_POSITION = "\u001b7";
const RESTORE_POSITION = "\u001b8";
const ERASE_BELOW = "\u001b[G\u001b[J";
/** Terminals that support these apply the output between them at once. */
const BEGIN_FRAME = "\u001b[?2026h";
const END_FRAME = "\u001b[?2026l";

/**
 * Lines at the end of a terminal that are drawn again and again.
 *
 * 1. Between two frames the cursor is in the first column of the first line. However a resize reflows the lines, they are
 *    below the cursor, and the next frame erases them.
 * 2. The cursor position is also saved, because keys that the terminal echoes, such as Enter, move the cursor down. A saved
 *    position counts from the top of the window, so it is not used after a resize.
 * 3. An empty line follows the block, so Enter does not scroll even below a block of one line.
 */
export class LiveBlock {
  readonly #output: TextOutput;
  /** The size of the terminal at the last frame; `undefined` while nothing is shown. */
  #size: string | undefined;

  constructor(output: TextOutput) {
    this.#output = output;
  }

  /** Shows these lines in place of the earlier ones. None may be wider than the terminal. */
  draw(lines: readonly string[]): void {
    const start = this.#size === undefined ? HIDE_CURSOR : this.#toStart();
    const { columns, rows } = terminalSize(this.#output.stream);
    this.#size = `${columns}x${rows}`;
    const text = lines.map((line) => `${line}\n`).join("");
    this.#output.write(
      `${BEGIN_FRAME}${start}${ERASE_BELOW}${text}\u001b[${lines.length}A${SAVE_POSITION}${END_FRAME}`,
    );
  }

  /** Erases the lines and shows the cursor. */
  clear(): void {
    if (this.#size === undefined) return;
    this.#output.write(`${this.#toStart()}${ERASE_BELOW}${SHOW_CURSOR}`);
    this.#size = undefined;
  }

  #toStart(): string {
    const { columns, rows } = terminalSize(this.#output.stream);
    return this.#size === `${columns}x${rows}` ? RESTORE_POSITION : "";
  }
}
