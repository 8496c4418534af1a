import { RALPH_METADATA } from "../../workflows/index.ts";
import { loadRalphStart, MAX_RALPH_WORKERS } from "../../workflows/program-kit.ts";
import { assertKnownAgent, DEFAULT_AGENT } from "../agents/agent-types.ts";
import { describeWorkTree } from "../agents/describe-work-tree.ts";
import { listOf } from "../config/list-of.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import { type RunFlags, readCount } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { Workspace } from "../workspace.ts";
import { addRalphTask } from "./add-ralph-task.ts";
import { resumeCommand } from "./resume-command.ts";
import { runWorkflowCommand } from "./run-command.ts";

const OVERRIDDEN = 'This is the built-in Ralph. There is another workflow named "ralph" here: atomic run ralph';

/** Options of `atomic ralph`. */
export interface RalphFlags extends RunFlags {
  readonly verify?: string;
  readonly workers?: string;
  readonly setup?: string;
  readonly agents?: string;
  /** `false` with `--no-review`. */
  readonly review?: boolean;
  readonly pr?: boolean;
  readonly resume?: string;
}

/** `atomic ralph PROMPT`: the built-in Ralph, also where `atomic run ralph` is a workflow of the project. */
export async function ralphCommand(
  environment: CliEnvironment,
  prompt: string | undefined,
  flags: RalphFlags,
): Promise<ExitCode> {
  if (flags.resume !== undefined) return await resumeRalph(environment, prompt, flags);
  if (prompt === undefined || prompt.trim() === "") {
    throw new UsageError(
      'Ralph needs to know what to do. Say it: atomic ralph "Add a --json flag to the list command"',
    );
  }
  assertCommand("--verify", flags.verify, "Leave the option out to verify nothing.");
  assertCommand("--setup", flags.setup, "Leave the option out where worktrees need no set-up.");
  const workspace = new Workspace(environment);
  const { workingDirectory, projectDirectory } = workspace;
  const config = await workspace.loadConfig(projectDirectory);
  const agents = listOf(flags.agents, "--agents");
  for (const agent of agents) assertKnownAgent(agent, config);
  const agent = flags.agent ?? agents[0];
  const workers = flags.workers === undefined ? undefined : readCount("--workers", flags.workers);
  if (workers !== undefined && workers > MAX_RALPH_WORKERS)
    throw new UsageError(`--workers takes at most ${MAX_RALPH_WORKERS}, and not ${workers}.`);
  // Found out before a run begins. What comes from standard input is known only then.
  if (prompt !== "-") await loadRalphStart(prompt, workingDirectory);
  const isSandboxed = resolveSandboxSetting({ config, flags, environment }) !== undefined;
  const others = [agent ?? config.agent ?? DEFAULT_AGENT, ...agents].filter((name) => name !== "claude");
  const isConfined = workers === undefined && flags.setup === undefined && isSandboxed && others.length > 0;
  if (!flags.json) {
    const notes = await describeWorkTree({ environment, workingDirectory, projectDirectory });
    const { isOverridden } = await workspace.findBuiltIn("ralph", projectDirectory);
    const confined = `one task after the other: in a sandbox, ${others[0]} works in no worktrees.`;
    const all = [...notes, ...(isConfined ? [confined] : []), ...(isOverridden ? [OVERRIDDEN] : [])];
    for (const note of all) environment.stderr.write(`note: ${note}\n`);
  }
  const input = [
    ...(flags.verify === undefined ? [] : [`verifyCommand=${flags.verify}`]),
    ...(flags.setup === undefined ? [] : [`setupCommand=${flags.setup}`]),
    ...(workers === undefined && !isConfined ? [] : [`workers=${workers ?? 1}`]),
    ...(flags.review === false ? ["review=no"] : []),
    ...(flags.pr === true ? ["pullRequest=yes"] : []),
  ];
  return await runWorkflowCommand(environment, {
    name: RALPH_METADATA.name,
    prompt,
    flags: {
      ...flags,
      input,
      ...(agents.length === 0 ? {} : { config: [`agents=${JSON.stringify(agents)}`] }),
      ...(agent === undefined ? {} : { agent }),
    },
    isBuiltIn: true,
  });
}

/** @throws UsageError for a variable of the shell that is not set */
function assertCommand(option: string, command: string | undefined, remedy: string): void {
  if (command?.trim() === "") throw new UsageError(`${option} takes a command, and this one is empty. ${remedy}`);
}

/** @throws UsageError for options that only a new run takes */
async function resumeRalph(
  environment: CliEnvironment,
  prompt: string | undefined,
  flags: RalphFlags,
): Promise<ExitCode> {
  const { verify, workers, setup, agents, review, pr, resume = "" } = flags;
  if ([verify, workers, setup, agents].some((value) => value !== undefined) || review === false || pr === true) {
    throw new UsageError(
      "--resume continues a run as it was started. Leave out --verify, --workers, --setup, --agents, --no-review and --pr.",
    );
  }
  if (prompt !== undefined) await addRalphTask(environment, resume, prompt);
  return await resumeCommand(environment, resume, flags);
}
