import type { AgentScript } from "../../testkit/index.ts";
import { DEFAULT_AGENT } from "../agent-types.ts";
import { askTrust } from "../ask-question.ts";
import { modelFor } from "../config/config.ts";
import { resolvePermissions } from "../config/permission-flags.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import type { CliEnvironment } from "../environment.ts";
import { executeRun } from "../execute-run.ts";
import type { ExitCode } from "../exit-code.ts";
import { permissionFlagsOf, type RunFlags } from "../run-flags.ts";
import { createInput, parseInputFlags } from "../workflow-input.ts";
import { Workspace } from "../workspace.ts";

/** Options of `atomic run`. */
export interface RunCommandFlags extends RunFlags {
  readonly input?: readonly string[];
}

/** What `atomic run` is called with. */
export interface RunCall {
  readonly name: string;
  readonly prompt: string | undefined;
  readonly flags: RunCommandFlags;
  /** What the scripted agent says and does, where it is the agent. */
  readonly scriptedAgent?: AgentScript;
}

/** `atomic run WORKFLOW [PROMPT]`: runs a workflow from its beginning. */
export async function runWorkflowCommand(
  environment: CliEnvironment,
  { name, prompt, flags, scriptedAgent }: RunCall,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { projectDirectory, workingDirectory } = workspace;
  if (flags.trust) await workspace.trust.trust(projectDirectory);
  const inputs = parseInputFlags(flags.input ?? []);
  const workflow = await workspace.findWorkflow(
    name,
    projectDirectory,
    trustPrompt(environment, flags, projectDirectory),
  );
  const config = await workspace.loadConfig(projectDirectory);
  const permissions = resolvePermissions(config.permissions, permissionFlagsOf(flags));
  const sandbox = resolveSandboxSetting({ config, flags, environment });
  const agent = flags.agent ?? config.agent ?? DEFAULT_AGENT;
  const model = flags.model ?? modelFor(config, agent);
  const about = { environment, workspace, projectDirectory, config, workflow, flags, agent, model, permissions };
  return await executeRun({
    ...about,
    sandbox,
    workingDirectory,
    scriptedAgent,
    execute: (options) =>
      workspace.runs.start({
        ...options,
        input: createInput(options.graph, prompt, inputs),
        projectDirectory,
        settings: { permissions, workingDirectory, ...(sandbox === undefined ? {} : { sandbox }) },
      }),
  });
}

/** How to ask for trust; `undefined` where nobody can be asked. */
export function trustPrompt(
  environment: CliEnvironment,
  flags: RunFlags,
  projectDirectory: string,
): ((files: readonly string[]) => Promise<boolean>) | undefined {
  if (!environment.isInteractive || flags.json) return undefined;
  return (files) => askTrust(environment, projectDirectory, files);
}
