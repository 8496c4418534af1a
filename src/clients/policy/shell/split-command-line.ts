import { type CommandLineObstacle, type ShellCommand, ShellLineReader } from "./shell-line.ts";
import { commandObstacle } from "./simple-command.ts";

/** A longer line is not taken apart, so that judging it takes no time: no pattern allows it. In characters. */
export const MAX_COMMAND_LINE_LENGTH = 16_384;

/** So many commands in one line are told apart. */
export const MAX_COMMANDS = 256;

/** A shell command line, taken apart as far as that is safe. */
export interface SplitCommandLine {
  /** The simple commands, in order, without the operators between them. */
  readonly parts: readonly string[];
  /** The same with their words. */
  readonly commands: readonly ShellCommand[];
  /** True when there are obstacles. `parts` must then not be trusted for allowing anything. */
  readonly isOpaque: boolean;
  /** Each kind once, roughly in the order of the line. */
  readonly obstacles: readonly CommandLineObstacle[];
  /** Characters read: at most as many as the line has. */
  readonly steps: number;
}

/**
 * Splits a command line at `;`, `&`, `&&`, `|`, `||` and line ends outside of quotes. It errs towards `isOpaque`: a line
 * that any of sh, bash, zsh or fish could read as more commands than `parts` shows, or as other ones, must come out
 * opaque. Linear, and nothing is read of a line longer than {@link MAX_COMMAND_LINE_LENGTH}.
 */
export function splitCommandLine(line: string): SplitCommandLine {
  if (line.length > MAX_COMMAND_LINE_LENGTH) {
    return { parts: [], commands: [], isOpaque: true, obstacles: ["too-long"], steps: 0 };
  }
  const reader = new ShellLineReader(line);
  const { commands, obstacles: found } = reader.read();
  const obstacles = new Set<CommandLineObstacle>(found);
  for (const command of commands) {
    const obstacle = commandObstacle(command);
    // With others, a name that is not plain says nothing new.
    if (obstacle !== undefined && (obstacle === "reserved-word" || found.size === 0)) obstacles.add(obstacle);
  }
  if (commands.length === 0) obstacles.add("empty");
  if (commands.length > MAX_COMMANDS) obstacles.add("too-many-commands");
  return {
    parts: commands.map(({ text }) => text),
    commands,
    isOpaque: obstacles.size > 0,
    obstacles: [...obstacles],
    steps: reader.steps,
  };
}
