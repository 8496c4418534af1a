import { type CommandLineObstacle, type ShellCommand, ShellLineReader } from "./shell-line.ts";
import { commandObstacle } from "./simple-command.ts";

/** The longest line that is parsed, in characters, which limits the time. No pattern allows a longer one. */
export const MAX_COMMAND_LINE_LENGTH = 16_384;

/** The most commands in one line. */
export const MAX_COMMANDS = 256;

/** A shell command line, parsed as far as that is safe. */
export interface SplitCommandLine {
  /** The simple commands, in order, without the operators between them. */
  readonly parts: readonly string[];
  /** The same commands with their words. */
  readonly commands: readonly ShellCommand[];
  /** True when there are obstacles. `parts` must then not be used to allow anything. */
  readonly isOpaque: boolean;
  /** Each kind once, approximately in the order of the line. */
  readonly obstacles: readonly CommandLineObstacle[];
  /** Characters read: at most as many as the line has. */
  readonly steps: number;
}

/**
 * Splits a command line at unquoted `;`, `&`, `&&`, `|`, `||` and line ends. It errs towards `isOpaque`: a line that sh,
 * bash, zsh or fish could read as other commands than `parts`, or as more, must be opaque. Linear; a line longer than
 * {@link MAX_COMMAND_LINE_LENGTH} is not read.
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
    // If there are others, a name that is not plain adds no information.
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
