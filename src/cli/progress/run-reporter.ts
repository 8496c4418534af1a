import { createLogUpdate } from "log-update";
import type { RunEvent } from "../../contracts/index.ts";
import type { TextOutput } from "../environment.ts";
import { type Colors, formatActiveLines, formatEventLines } from "./progress-lines.ts";
import { EMPTY_PROGRESS, type ProgressModel, reduceProgress } from "./progress-model.ts";

/** How often the active lines are drawn, in milliseconds. */
const FRAME_MS = 80;

/** Shows a run while it goes on. */
export interface RunReporter {
  onEvent(event: RunEvent): void;
  /** Takes the active lines away while something else needs the screen; returns how to bring them back. */
  pause(): () => void;
  /** Leaves the screen as it is. Idempotent. */
  close(): void;
}

/** A line of JSON for each event. */
export function createJsonReporter(output: TextOutput): RunReporter {
  return {
    onEvent: (event) => output.write(`${JSON.stringify(event)}\n`),
    pause: () => () => undefined,
    close: () => undefined,
  };
}

/** A line for each thing worth knowing, for logs and pipes. */
export function createPlainReporter(output: TextOutput, colors: Colors): RunReporter {
  let model: ProgressModel = EMPTY_PROGRESS;
  return {
    onEvent(event) {
      const lines = formatEventLines(event, model, { colors, columns: 200 });
      model = reduceProgress(model, event);
      if (event.type === "node-start" && event.nodeType === "agent") output.write(`▸ ${event.name}\n`);
      for (const line of lines) output.write(`${line}\n`);
    },
    pause: () => () => undefined,
    close: () => undefined,
  };
}

/** Lines that move: what is done stays above, what is under way is drawn below it again and again. */
export function createLiveReporter(output: TextOutput, colors: Colors): RunReporter {
  const screen = createLogUpdate(output.stream);
  let model: ProgressModel = EMPTY_PROGRESS;
  let isPaused = false;
  const draw = (): void => {
    if (isPaused) return;
    const { columns } = output;
    screen(formatActiveLines(model, Date.now(), { colors, columns }).join("\n"));
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    onEvent(event) {
      const lines = formatEventLines(event, model, { colors, columns: output.columns });
      model = reduceProgress(model, event);
      if (lines.length === 0) return;
      screen.clear();
      output.write(`${lines.join("\n")}\n`);
      draw();
    },
    pause() {
      isPaused = true;
      screen.clear();
      screen.done();
      return () => {
        isPaused = false;
        draw();
      };
    },
    close() {
      clearInterval(timer);
      if (isPaused) return;
      isPaused = true;
      screen.clear();
      screen.done();
    },
  };
}
