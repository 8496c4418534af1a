import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import type { RunFlags } from "../run-flags.ts";
import { UsageError } from "../usage-error.ts";
import { resumeCommand } from "./resume-command.ts";
import { runWorkflowCommand } from "./run-command.ts";

/** Options of `atomic ralph`. */
export interface RalphFlags extends RunFlags {
  readonly verify?: string;
  readonly resume?: string;
}

/** `atomic ralph PROMPT`: short for `atomic run ralph PROMPT --input verifyCommand=…`. */
export async function ralphCommand(
  environment: CliEnvironment,
  prompt: string | undefined,
  flags: RalphFlags,
): Promise<ExitCode> {
  if (flags.resume !== undefined) {
    if (prompt !== undefined || flags.verify !== undefined) {
      throw new UsageError("--resume goes on with a run as it was started. Leave out the prompt and --verify.");
    }
    return await resumeCommand(environment, flags.resume, flags);
  }
  if (prompt === undefined || prompt.trim() === "") {
    throw new UsageError(
      'Ralph needs to know what to do. Say it: atomic ralph "Add a --json flag to the list command"',
    );
  }
  const input = flags.verify === undefined ? [] : [`verifyCommand=${flags.verify}`];
  return await runWorkflowCommand(environment, { name: "ralph", prompt, flags: { ...flags, input } });
}
