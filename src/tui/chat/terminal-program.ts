/** Programs that draw on a terminal or read keys, and print nothing useful without one. */
const SCREENS: ReadonlySet<string> = new Set([
  ...["vi", "vim", "nvim", "view", "nano", "pico", "micro", "emacs", "hx", "ed"],
  ...["top", "htop", "btop", "watch", "tmux", "screen", "mc", "ranger", "lazygit", "tig", "fzf"],
]);

/** Programs that show a text by pages. */
const PAGERS: ReadonlySet<string> = new Set(["less", "more", "most"]);

/** Options with which even these only print something. */
const PRINTING = /^(?:--version|--help|-h|-V|-b|-es|--batch|-batch)$/;

/** Words before the name of the program. */
const PREFIX = /^(?:\w+=\S*|sudo|exec|command|env)$/;

/** What {@link describeTerminalProgram} suggests. */
export interface TerminalAdvice {
  /** The key that returns to the shell. Undefined where none does. */
  readonly suspendKey: string | undefined;
}

/** Why a command of the user cannot work without a terminal, and what to do. Undefined when it can. */
export function describeTerminalProgram(command: string, { suspendKey }: TerminalAdvice): string | undefined {
  // In a pipe or a list, it may read or write something else than a terminal.
  if (/[|<>;&`$(]/.test(command)) return undefined;
  const words = command.split(/\s+/).filter((word) => word !== "");
  const [path = "", ...options] = words.slice(words.findIndex((word) => !PREFIX.test(word)));
  const program = path.split("/").at(-1) ?? "";
  const isPager = PAGERS.has(program);
  if ((!isPager && !SCREENS.has(program)) || options.some((option) => PRINTING.test(option))) return undefined;
  const shell =
    suspendKey === undefined ? "Run it in another terminal" : `Press ${suspendKey} and run it in your shell`;
  const advice = isPager ? `Use cat, or ${shell.charAt(0).toLowerCase()}${shell.slice(1)}` : shell;
  return `${program} needs a terminal, and a command after "!" has none. ${advice}.`;
}
