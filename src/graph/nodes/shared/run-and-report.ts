import { given } from "../../errors/given.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { type CommandResult, runCommand } from "../../model/run-command.ts";
import type { BaseState } from "../../state/annotation.ts";

/** How much of an output an event has, in characters. */
const MAX_EVENT_OUTPUT = 4_096;

/** A command's result, and its whole output as people and agents may see it. */
export interface ReportedCommand {
  readonly result: CommandResult;
  /** Standard output, then standard error, without secrets. */
  readonly output: string;
}

/** Where a command runs. */
export interface CommandPlace {
  /** @default the run's */
  readonly workingDirectory?: string | undefined;
  /** Added to the environment. */
  readonly extraEnv?: Readonly<Record<string, string>> | undefined;
}

/**
 * Runs a command for a node, and publishes its start, its exit code and the end of its output as evidence.
 *
 * ```ts
 * const node = {
 *   id: "test",
 *   type: "tool",
 *   async execute(context) {
 *     const { result } = await runAndReport("npm test", context);
 *     return { stateUpdate: { isGreen: result.exitCode === 0 } };
 *   },
 * };
 * ```
 *
 * @throws the signal's reason, and as {@link runCommand}
 */
export async function runAndReport<State extends BaseState>(
  command: string,
  { services, signal, emit }: Pick<ExecutionContext<State>, "services" | "signal" | "emit">,
  { workingDirectory = services.workingDirectory, extraEnv }: CommandPlace = {},
): Promise<ReportedCommand> {
  const run = services.shell ?? runCommand;
  signal.throwIfAborted();
  emit({ type: "command-start", command });
  const result = await run(command, { signal, ...given({ workingDirectory, extraEnv }) });
  const { exitCode, durationMs } = result;
  const texts = [result.stdout, result.stderr].filter((text) => text.trim() !== "").join("\n");
  // Before a text is cut: half a secret cannot be recognised.
  const output = services.redactor?.text(texts) ?? texts;
  emit({ type: "command-end", command, exitCode, durationMs, ...given({ output: endOf(output) }) });
  return { result, output };
}

function endOf(output: string): string | undefined {
  if (output === "") return undefined;
  return output.length <= MAX_EVENT_OUTPUT ? output : `…${output.slice(-MAX_EVENT_OUTPUT)}`;
}
