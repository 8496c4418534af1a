import type { RunEvent } from "../../contracts/index.ts";
import { EMPTY_PROGRESS, nameOf, type ProgressModel, reduceProgress, safeLine } from "../../view/index.ts";
import type { TextOutput } from "../environment.ts";
import { formatJson } from "../output/format-json.ts";
import { terminalSize } from "../prompts/ask-choice.ts";
import { withExactIds } from "../prompts/parse-answer.ts";
import type { PublishedPermission } from "../prompts/published-permissions.ts";
import { AgentLines } from "./agent-lines.ts";
import { formatTranscript } from "./format-transcript.ts";
import { LiveBlock } from "./live-block.ts";
import { type Colors, formatActiveLines, formatEventLines, formatLog } from "./progress-lines.ts";

/** How often the active lines are drawn, in milliseconds. */
const FRAME_MS = 80;

/** How many lines of each agent remain after a cancelled run. */
const LAST_ROWS = 8;

/** Shows the progress of a run. */
export interface RunReporter {
  onEvent(event: RunEvent): void;
  /** Prints a text to a person; JSON output has no such line. */
  note(text: string): void;
  /** Prints a warning that is no event of the run, also as JSON. */
  warn(message: string): void;
  /** Shows a permission request that waits for another process; programs get it whole. */
  permission(published: PublishedPermission, lines: readonly string[]): void;
  /** Shows what the code of a workflow wrote outside of any node. */
  log(message: string): void;
  /** Prints, just before the process ends at once, how to resume the run; as JSON, an error. Must not wait. */
  leave(runId: string): void;
  /** Hides the active lines while something else uses the screen; returns a function that shows them again. */
  pause(): () => void;
  /** Leaves the screen as it is. Idempotent. */
  close(): void;
}

function leftText(runId: string): string {
  return `Left immediately. Resume the run: atomic runs resume ${runId}`;
}

/** A line of JSON for each event. The end of the run is the last one: it is written on {@link RunReporter.close}. */
export function createJsonReporter(output: TextOutput): RunReporter {
  // Before the first event there is no run.
  let runId: string | null = null;
  let end: RunEvent | undefined;
  const writeEvent = (event: RunEvent): void => output.write(`${formatJson(withExactIds(event))}\n`);
  const writeEnd = (): void => {
    if (end !== undefined) writeEvent(end);
    end = undefined;
  };
  return {
    onEvent(event) {
      writeEnd();
      runId = event.runId;
      if (event.type === "run-end") end = event;
      else writeEvent(event);
    },
    note: () => undefined,
    leave(left) {
      writeEnd();
      const error = { type: "error", runId: left, at: Date.now(), code: "RUN_LEFT", message: leftText(left) };
      output.write(`${formatJson(error)}\n`);
    },
    warn: (message) => output.write(`${formatJson({ type: "warning", runId, at: Date.now(), message })}\n`),
    permission: (published) =>
      output.write(`${formatJson({ type: "permission-request", runId, at: published.askedAt, ...published })}\n`),
    log: (message) => output.write(`${formatJson({ type: "log", runId, at: Date.now(), message })}\n`),
    pause: () => () => undefined,
    close: writeEnd,
  };
}

/** Permanent lines of the run and of what its agents say and do, for logs and pipes. */
export function createPlainReporter(output: TextOutput, colors: Colors): RunReporter {
  let model: ProgressModel = EMPTY_PROGRESS;
  const agentLines = new AgentLines(colors);
  return {
    onEvent(event) {
      const lines = [...agentLines.take(event, model), ...formatEventLines(event, model, { colors, columns: 200 })];
      model = reduceProgress(model, event);
      if (event.type === "node-start" && event.nodeType === "agent")
        output.write(`▸ ${safeLine(nameOf(event), 200)}\n`);
      for (const line of lines) output.write(`${line}\n`);
    },
    note: (text) => output.write(`${text}\n`),
    leave: (runId) => output.write(`${leftText(runId)}\n`),
    warn: (message) => output.write(`${message}\n`),
    permission: (_published, lines) => output.write(`${lines.join("\n")}\n`),
    log: (message) => output.write(`${formatLog(message, colors).join("\n")}\n`),
    pause: () => () => undefined,
    close() {
      for (const line of agentLines.flush()) output.write(`${line}\n`);
    },
  };
}

/** A live display: finished nodes stay above, active nodes are redrawn below them. */
export function createLiveReporter(output: TextOutput, colors: Colors): RunReporter {
  return new LiveReporter(output, colors);
}

class LiveReporter implements RunReporter {
  readonly #output: TextOutput;
  readonly #colors: Colors;
  readonly #screen: LiveBlock;
  readonly #timer: ReturnType<typeof setInterval>;
  #model: ProgressModel = EMPTY_PROGRESS;
  #state: "drawing" | "paused" | "closed" = "drawing";
  /** Permanent lines, held back while something else uses the screen. */
  #waiting: string[] = [];

  constructor(output: TextOutput, colors: Colors) {
    this.#output = output;
    this.#colors = colors;
    this.#screen = new LiveBlock(output);
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
  }

  onEvent(event: RunEvent): void {
    const { columns } = this.#output;
    if (event.type === "run-end" && event.status === "cancelled") this.#waiting.push(...this.#lastWords());
    this.#waiting.push(...formatEventLines(event, this.#model, { colors: this.#colors, columns }));
    this.#model = reduceProgress(this.#model, event);
    this.#show();
  }

  /** The last lines of agents that a cancel stopped at work. */
  #lastWords(): readonly string[] {
    const columns = Math.max(10, this.#output.columns - 5);
    return [...this.#model.active.values()].flatMap(({ transcript }) =>
      formatTranscript(transcript, { rows: LAST_ROWS, columns, colors: this.#colors }).map(
        (line) => `  ${this.#colors.dim("│")} ${line}`,
      ),
    );
  }

  warn(message: string): void {
    this.note(message);
  }

  leave(runId: string): void {
    this.note(leftText(runId));
  }

  permission(_published: PublishedPermission, lines: readonly string[]): void {
    this.note(lines.join("\n"));
  }

  log(message: string): void {
    this.note(formatLog(message, this.#colors).join("\n"));
  }

  note(text: string): void {
    this.#waiting.push(text);
    this.#show();
  }

  #show(): void {
    if (this.#state === "paused" || this.#waiting.length === 0) return;
    if (this.#state === "drawing") this.#screen.clear();
    this.#writeWaiting();
    this.#draw();
  }

  pause(): () => void {
    if (this.#state !== "drawing") return () => undefined;
    this.#state = "paused";
    this.#screen.clear();
    return () => {
      if (this.#state !== "paused") return;
      this.#state = "drawing";
      this.#writeWaiting();
      this.#draw();
    };
  }

  close(): void {
    if (this.#state === "closed") return;
    clearInterval(this.#timer);
    if (this.#state === "drawing") this.#screen.clear();
    this.#state = "closed";
    this.#writeWaiting();
  }

  #writeWaiting(): void {
    if (this.#waiting.length > 0) this.#output.write(`${this.#waiting.join("\n")}\n`);
    this.#waiting = [];
  }

  #draw(): void {
    if (this.#state !== "drawing") return;
    const size = terminalSize(this.#output.stream);
    const lines = formatActiveLines(this.#model, Date.now(), { colors: this.#colors, ...size });
    if (lines.length === 0) this.#screen.clear();
    else this.#screen.draw(lines);
  }
}
