import { formatDuration, safeLine } from "../../view/index.ts";
import type { TextOutput } from "../environment.ts";
import { LiveBlock } from "./live-block.ts";
import { type Colors, spinnerAt } from "./progress-lines.ts";

/** How often the line is drawn, in milliseconds. */
const FRAME_MS = 80;

/** An animated line for a waiting person. Closing erases it. */
export interface StatusLine {
  /** Shows the line, with the current activity at its end, or none. */
  show(activity: string): void;
  /** Erases the line until the next `show`. */
  hide(): void;
  /** Hides the line while something else uses the screen; returns a function that shows it again. */
  pause(): () => void;
  /** Erases the line for good. Idempotent. */
  close(): void;
}

/** For outputs without a terminal or a person. */
export const NO_STATUS_LINE: StatusLine = {
  show: () => undefined,
  hide: () => undefined,
  pause: () => () => undefined,
  close: () => undefined,
};

/** Settings of {@link createStatusLine}. */
export interface StatusLineOptions {
  readonly colors: Colors;
  /** Always shown, for example the agent and its model. */
  readonly facts: readonly string[];
}

/** A status line on a terminal. */
export function createStatusLine(output: TextOutput, options: StatusLineOptions): StatusLine {
  return new MovingLine(output, options);
}

class MovingLine implements StatusLine {
  readonly #output: TextOutput;
  readonly #colors: Colors;
  readonly #facts: readonly string[];
  readonly #screen: LiveBlock;
  readonly #startedAt = Date.now();
  #timer: ReturnType<typeof setInterval> | undefined;
  #activity = "";
  #isPaused = false;
  #isClosed = false;

  constructor(output: TextOutput, { colors, facts }: StatusLineOptions) {
    this.#output = output;
    this.#colors = colors;
    this.#facts = facts;
    this.#screen = new LiveBlock(output);
  }

  show(activity: string): void {
    this.#activity = activity;
    if (this.#isPaused || this.#isClosed) return;
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS);
    this.#draw();
  }

  hide(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#screen.clear();
  }

  pause(): () => void {
    if (this.#isPaused) return () => undefined;
    const wasShown = this.#timer !== undefined;
    this.hide();
    this.#isPaused = true;
    return () => {
      if (!this.#isPaused) return;
      this.#isPaused = false;
      if (wasShown) this.show(this.#activity);
    };
  }

  close(): void {
    this.hide();
    this.#isClosed = true;
  }

  #draw(): void {
    const now = Date.now();
    const facts = [...this.#facts, formatDuration(now - this.#startedAt), this.#activity].filter((fact) => fact !== "");
    const line = safeLine(facts.join(" · "), Math.max(1, this.#output.columns - 3));
    this.#screen.draw([`${this.#colors.cyan(spinnerAt(now))} ${this.#colors.dim(line)}`]);
  }
}
