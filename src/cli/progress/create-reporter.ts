import type { CliEnvironment } from "../environment.ts";
import { colorsFor, type TerminalFlags } from "../output/terminal.ts";
import { createJsonReporter, createLiveReporter, createPlainReporter, type RunReporter } from "./run-reporter.ts";

/** Options of a command that shows the progress of a run. */
export interface ProgressFlags extends TerminalFlags {
  readonly json?: boolean;
}

/** Shows progress in the way that fits: events as JSON for programs, a live display in a terminal, lines anywhere else. */
export function createReporter(environment: CliEnvironment, flags: ProgressFlags): RunReporter {
  const { stdout, stderr } = environment;
  if (flags.json) return createJsonReporter(stdout);
  const colors = colorsFor(environment, flags, "stderr");
  return stderr.isTTY && environment.env.TERM !== "dumb"
    ? createLiveReporter(stderr, colors)
    : createPlainReporter(stderr, colors);
}
