import { safeLine } from "../../view/index.ts";
import type { CliEnvironment, TextOutput } from "../environment.ts";
import type { NotificationSettings } from "./notification-settings.ts";

/** A way in which a terminal notifies the person at it. */
export type TerminalMethod = "osc9" | "osc777" | "bell";

/** So many columns of a text are sent. */
const MAX_COLUMNS = 200;

type Env = CliEnvironment["env"];

/** What these terminals are known to show, by `TERM_PROGRAM`. Others print the sequence, or mean something else by it. */
const BY_PROGRAM: Readonly<Record<string, TerminalMethod>> = {
  "iTerm.app": "osc9",
  WezTerm: "osc9",
  ghostty: "osc9",
  WarpTerminal: "osc9",
  rio: "osc9",
};

/** The same by variables that remain visible within tmux. */
const BY_VARIABLE: readonly (readonly [name: string, method: TerminalMethod])[] = [
  ["KITTY_WINDOW_ID", "osc9"],
  ["ITERM_SESSION_ID", "osc9"],
  ["WEZTERM_PANE", "osc9"],
  ["GHOSTTY_RESOURCES_DIR", "osc9"],
];

const BY_TERM: readonly (readonly [prefix: string, method: TerminalMethod])[] = [
  ["xterm-kitty", "osc9"],
  ["xterm-ghostty", "osc9"],
  ["wezterm", "osc9"],
  ["foot", "osc777"],
  ["rxvt-unicode", "osc777"],
];

/** The way of this terminal; undefined where the user wants none, or none is known. */
export function terminalMethod(
  setting: NotificationSettings["terminal"] = "auto",
  env: Env,
): TerminalMethod | undefined {
  if (setting !== "auto") return setting === "off" ? undefined : setting;
  const { TERM = "", TERM_PROGRAM = "", STY = "" } = env;
  if (TERM === "dumb" || STY !== "") return undefined;
  if (Object.hasOwn(BY_PROGRAM, TERM_PROGRAM)) return BY_PROGRAM[TERM_PROGRAM];
  const byVariable = BY_VARIABLE.find(([name]) => (env[name] ?? "") !== "");
  return (byVariable ?? BY_TERM.find(([prefix]) => TERM.startsWith(prefix)))?.[1];
}

/** The sequence that shows a text, whatever characters are in it. tmux passes it on to the terminal around it. */
export function terminalSequence(method: TerminalMethod, text: string, env: Env): string {
  if (method === "bell") return "\u0007";
  const line = safeLine(text, MAX_COLUMNS);
  // OSC 9 followed by a digit and a semicolon means something else, and a semicolon ends a field of OSC 777.
  const sequence =
    method === "osc9"
      ? `\u001b]9;Atomic: ${line}\u0007`
      : `\u001b]777;notify;Atomic;${line.replaceAll(";", ",")}\u0007`;
  return (env.TMUX ?? "") === "" ? sequence : `\u001bPtmux;${sequence.replaceAll("\u001b", "\u001b\u001b")}\u001b\\`;
}

/** The output that is a terminal; undefined when there is none. */
export function terminalOf({ stderr, stdout }: Pick<CliEnvironment, "stderr" | "stdout">): TextOutput | undefined {
  return [stderr, stdout].find(({ isTTY }) => isTTY);
}
