import { loadRalphGoal } from "../../workflows/index.ts";
import { describeWorkTree } from "../agents/describe-work-tree.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { Workspace } from "../workspace.ts";
import { resumeCommand } from "./resume-command.ts";
import { runWorkflowCommand } from "./run-command.ts";

const OVERRIDDEN = 'This is the built-in Ralph. There is another workflow named "ralph" here: atomic run ralph';

/** Options of `atomic ralph`. */
export interface RalphFlags extends RunFlags {
  readonly verify?: string;
  readonly resume?: string;
}

/** `atomic ralph PROMPT`: the built-in Ralph, also where `atomic run ralph` is a workflow of the project. */
export async function ralphCommand(
  environment: CliEnvironment,
  prompt: string | undefined,
  flags: RalphFlags,
): Promise<ExitCode> {
  if (flags.resume !== undefined) {
    if (prompt !== undefined || flags.verify !== undefined) {
      throw new UsageError("--resume continues a run as it was started. Leave out the prompt and --verify.");
    }
    return await resumeCommand(environment, flags.resume, flags);
  }
  if (prompt === undefined || prompt.trim() === "") {
    throw new UsageError(
      'Ralph needs to know what to do. Say it: atomic ralph "Add a --json flag to the list command"',
    );
  }
  if (flags.verify?.trim() === "") {
    throw new UsageError("--verify takes a command, and this one is empty. Leave the option out to verify nothing.");
  }
  const workspace = new Workspace(environment);
  const { workingDirectory, projectDirectory } = workspace;
  // Found out before a run begins. What comes from standard input is known only then.
  if (prompt !== "-") await loadRalphGoal(prompt, workingDirectory);
  if (!flags.json) {
    const notes = await describeWorkTree({ environment, workingDirectory, projectDirectory });
    const { isOverridden } = await workspace.findBuiltIn("ralph", projectDirectory);
    for (const note of isOverridden ? [...notes, OVERRIDDEN] : notes) environment.stderr.write(`note: ${note}\n`);
  }
  const input = flags.verify === undefined ? [] : [`verifyCommand=${flags.verify}`];
  return await runWorkflowCommand(environment, { name: "ralph", prompt, flags: { ...flags, input }, isBuiltIn: true });
}
