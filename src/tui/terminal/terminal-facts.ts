import type { TerminalProcess } from "./terminal-process.ts";

/** How many colours a terminal shows. */
export type ColorDepth = "none" | "16" | "256" | "truecolor";

/** What is known about a terminal without asking it. */
export interface TerminalFacts {
  readonly columns: number;
  readonly rows: number;
  /** Whether both the input and the output are a terminal. */
  readonly isTerminal: boolean;
  /** The value of `TERM`. */
  readonly name: string;
  readonly hasUnicode: boolean;
  readonly colors: ColorDepth;
  /** Whether it is the terminal of VS Code and its relatives. */
  readonly isXtermJs: boolean;
  readonly isTmux: boolean;
}

/** Narrower terminals use the plain mode. */
export const MIN_COLUMNS = 20;
/** Lower terminals use the plain mode. */
const MIN_ROWS = 4;

/** What the environment and the streams say about the terminal. */
export function readTerminalFacts({
  stdin,
  stdout,
  env,
}: {
  readonly stdin: Pick<TerminalProcess["stdin"], "isTTY">;
  readonly stdout: Pick<TerminalProcess["stdout"], "isTTY" | "columns" | "rows">;
  readonly env: TerminalProcess["env"];
}): TerminalFacts {
  return {
    columns: stdout.columns ?? 80,
    rows: stdout.rows ?? 24,
    isTerminal: stdin.isTTY === true && stdout.isTTY === true,
    name: env.TERM ?? "",
    hasUnicode: hasUnicode(env),
    colors: colorDepthOf(env),
    isXtermJs: env.TERM_PROGRAM === "vscode",
    // Over SSH, only the name says it.
    isTmux: (env.TMUX ?? "") !== "" || /^tmux\b/.test(env.TERM ?? ""),
  };
}

/** Why the UI cannot draw on a terminal, as the end of a sentence. Undefined when it can. */
export function findObstacle({ columns, rows, isTerminal, name }: TerminalFacts): string | undefined {
  if (!isTerminal) return "input or output is not a terminal";
  if (name === "dumb") return "TERM is dumb";
  if (columns < MIN_COLUMNS) return `the terminal has ${columns} columns, fewer than ${MIN_COLUMNS}`;
  if (rows < MIN_ROWS) return `the terminal has ${rows} rows, fewer than ${MIN_ROWS}`;
  return undefined;
}

/** The first of the variables that is set decides, as in the C library. Without one, terminals of today have Unicode. */
function hasUnicode(env: TerminalProcess["env"]): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== "");
  if (locale === undefined) return env.TERM !== "linux" && env.TERM !== "dumb";
  return /utf-?8/i.test(locale);
}

function colorDepthOf(env: TerminalProcess["env"]): ColorDepth {
  const name = env.TERM ?? "";
  if ((env.NO_COLOR ?? "") !== "" || name === "dumb") return "none";
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? "") || name.endsWith("-direct")) return "truecolor";
  if ((env.WT_SESSION ?? "") !== "") return "truecolor";
  return name.includes("256") ? "256" : "16";
}
