import { isWorkflowName } from "../../discovery/index.ts";
import { loadRalphGoal } from "../../workflows/program-kit.ts";
import { type RunFlags, readCount } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { Workspace } from "../workspace.ts";
import { findTaken } from "../written-scripts/keep-script.ts";
import { runWorkflowCommand } from "./run-command.ts";

const OVERRIDDEN = 'This is the built-in one. There is another workflow named "write" here: atomic run write';

/** Options of `atomic write`. */
export interface WriteFlags extends RunFlags {
  readonly name?: string;
  readonly maxAgents?: string;
  readonly keep?: boolean;
}

/** `atomic write TASK`: the built-in workflow `write`. */
export async function writeCommand(
  environment: CliEnvironment,
  task: string | undefined,
  flags: WriteFlags,
): Promise<ExitCode> {
  if (task === undefined || task.trim() === "") {
    throw new UsageError('Say what the script is to do: atomic write "Audit each source file, and rank the findings"');
  }
  const { name, keep = false } = flags;
  const maxAgents = flags.maxAgents === undefined ? undefined : readCount("--max-agents", flags.maxAgents);
  const workspace = new Workspace(environment);
  const { workingDirectory, projectDirectory } = workspace;
  if (name !== undefined && !isWorkflowName(name)) {
    throw new UsageError(
      `--name "${name}" cannot name a script. Use letters, digits, "-" and "_", at most 64, such as "review-changes".`,
    );
  }
  const taken = name === undefined ? undefined : findTaken(projectDirectory, name);
  if (taken !== undefined) throw new UsageError(`--name ${name}: the name is taken: ${taken}. Choose another.`);
  // Found out before a run begins. What comes from standard input is known only then.
  if (task !== "-") await loadRalphGoal(task, workingDirectory);
  const { isOverridden } = await workspace.findBuiltIn("write", projectDirectory);
  if (isOverridden && !flags.json) environment.stderr.write(`note: ${OVERRIDDEN}\n`);
  const input = [...(name === undefined ? [] : [`name=${name}`]), ...(keep ? ["keep=yes"] : [])];
  return await runWorkflowCommand(environment, {
    name: "write",
    prompt: task,
    flags: { ...flags, input, ...(maxAgents === undefined ? {} : { config: [`maxAgents=${maxAgents}`] }) },
    isBuiltIn: true,
  });
}
