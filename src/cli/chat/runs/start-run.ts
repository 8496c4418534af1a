import { AtomicError } from "../../../contracts/index.ts";
import { safeText } from "../../../view/index.ts";
import { type DetachedCall, detachRun } from "../../commands/detach-run.ts";
import type { CliEnvironment } from "../../environment.ts";
import { quietEnvironment } from "./quiet-environment.ts";

/** How long a run of the UI waits for an answer to a permission request. */
export const ASK_DURATION = "8h";

/** So much of the end of what a process printed is in an error, in characters. */
const MAX_OUTPUT_LENGTH = 2_000;

/** A process of its own did not begin or continue a run. */
export class RunNotBegunError extends AtomicError {
  constructor(readonly output: string) {
    const said = safeText(output)
      .trim()
      .replace(/^error: /, "")
      // The shell indents what follows the word "error".
      .replaceAll("\n       ", "\n")
      .slice(-MAX_OUTPUT_LENGTH);
    super("RUN_NOT_BEGUN", said === "" ? "The run did not begin, and its process printed nothing. Try again." : said);
  }
}

/** Settings of {@link startRun}. */
export interface StartRunOptions {
  /** @default none */
  readonly prompt?: string;
  /** The agent of its sessions. @default that of the settings */
  readonly agent?: string;
  /** How long it waits for an answer to a permission request, such as `10m`. @default "8h" */
  readonly ask?: string;
  /** Further options of `atomic run`. */
  readonly options?: readonly string[];
}

/**
 * Starts a run of a workflow in a process of its own, which continues when this one ends. Returns the run's id.
 *
 * @throws RunNotBegunError with what the process printed
 */
export async function startRun(
  environment: CliEnvironment,
  name: string,
  { prompt, agent, ask = ASK_DURATION, options = [] }: StartRunOptions = {},
): Promise<string> {
  const chosen = agent === undefined ? [] : ["--agent", agent];
  const words = prompt === undefined || prompt === "" ? [name] : [name, prompt];
  return await beginRun(environment, { args: ["run", "--ask", ask, ...chosen, ...options, "--", ...words] });
}

/** Has a process of its own begin or continue a run. Returns the run's id. @throws RunNotBegunError */
export async function beginRun(environment: CliEnvironment, call: DetachedCall): Promise<string> {
  const detached = await detachRun(quietEnvironment(environment), call);
  if (detached.type === "ended") throw new RunNotBegunError(detached.output);
  return detached.runId;
}
