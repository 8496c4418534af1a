import pc from "picocolors";
import type { CliEnvironment, TextOutput } from "../environment.ts";
import type { Colors } from "../progress/progress-lines.ts";

/** What decides how much colour and movement there is. */
export interface TerminalFlags {
  /** False for `--no-color`. */
  readonly color?: boolean;
}

/** How wide a table may be: a terminal has a width, a pipe has none. */
export function tableColumns({ isTTY, columns }: TextOutput): number {
  return isTTY ? columns : Number.POSITIVE_INFINITY;
}

/** Colours for an output: none when it is no terminal, or when the user wants none (no-color.org). */
export function colorsFor(
  environment: Pick<CliEnvironment, "env" | "stdout" | "stderr">,
  flags: TerminalFlags,
  output: "stdout" | "stderr",
): Colors {
  const { env } = environment;
  const isWanted = flags.color !== false && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
  const isForced = (env.FORCE_COLOR ?? "") !== "" && env.FORCE_COLOR !== "0";
  return pc.createColors(isWanted && (isForced || environment[output].isTTY));
}
