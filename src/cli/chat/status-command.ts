import type { Redactor } from "../../contracts/index.ts";
import { startProcessGroup } from "../../system/index.ts";

/** How long the command may take, in milliseconds. */
const TIMEOUT_MS = 1_000;

/** A longer line is cut, in characters. */
const MAX_LENGTH = 2_000;

/** Where the user's status command runs. */
export interface StatusCommandPlace {
  readonly workingDirectory: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
  /** How long the command may take, in milliseconds. @default 1_000 */
  readonly timeoutMs?: number;
}

/**
 * The first line that a command line prints. It receives facts as JSON on its standard input. Empty if the command fails,
 * prints nothing or takes too long.
 */
export async function runStatusCommand(
  command: string,
  facts: Readonly<Record<string, string | number>>,
  { workingDirectory, env, redactor, timeoutMs = TIMEOUT_MS }: StatusCommandPlace,
): Promise<string> {
  const group = startProcessGroup(["sh", "-c", command], { workingDirectory, env, hasInput: true, graceMs: 100 });
  const { leader } = group;
  let output = "";
  leader.stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (output.length < MAX_LENGTH) output += text;
  });
  leader.stderr?.resume();
  // The command need not read its input.
  leader.stdin?.on("error", () => undefined).end(`${JSON.stringify(facts)}\n`);
  const exitCode = new Promise<number | null>((resolve) => {
    leader.once("error", () => resolve(null));
    leader.once("exit", resolve);
  });
  const timer = setTimeout(() => void group.stop(), timeoutMs);
  await group.ended;
  clearTimeout(timer);
  if ((await exitCode) !== 0) return "";
  const [line = ""] = redactor.text(output.slice(0, MAX_LENGTH)).split(/\r?\n/);
  return line.trimEnd();
}
