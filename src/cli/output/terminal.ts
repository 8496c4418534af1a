import pc from "picocolors";
import type { CliEnvironment, TextOutput } from "../environment.ts";
import type { Colors } from "../progress/progress-lines.ts";

/** Flags that control colors. */
export interface TerminalFlags {
  /** False for `--no-color`. */
  readonly color?: boolean;
}

/** The maximum width of a table; unlimited in a pipe. */
export function tableColumns({ isTTY, columns }: TextOutput): number {
  return isTTY ? columns : Number.POSITIVE_INFINITY;
}

/** Colors for an output: none in a pipe, or when the user disables them (no-color.org). */
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
