import type { CompiledGraph, GitReader } from "../../graph/index.ts";
import type { AgentScript } from "../../testkit/index.ts";
import { assertKnownAgent, DEFAULT_AGENT } from "../agents/agent-types.ts";
import { type Config, modelFor } from "../config/config.ts";
import { readText } from "../config/read-text.ts";
import { resolvePermissions } from "../config/resolve-permissions.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import { permissionFlagsOf, type RunFlags } from "../config/run-flags.ts";
import { typedWorkflow } from "../config/typed-input.ts";
import { UsageError } from "../config/usage-error.ts";
import { parseConfigFlags } from "../config/workflow-config.ts";
import { createInput, parseInputFlags } from "../config/workflow-input.ts";
import type { CliEnvironment } from "../environment.ts";
import { executeRun } from "../execute-run.ts";
import { ExitCode } from "../exit-code.ts";
import { describeUnreadInputs } from "../output/describe-workflow.ts";
import { quoteWord } from "../output/quote-word.ts";
import { createJsonReporter } from "../progress/run-reporter.ts";
import { resolveTypedInput } from "../resolve-typed-input.ts";
import type { PresentOutput } from "../run-plan.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { hookOwners } from "../trust/settings-owners.ts";
import { readStart } from "../working-tree/read-start.ts";
import { type FoundWorkflow, Workspace } from "../workspace.ts";
import { planCommand } from "./plan-command.ts";

/** Options of `atomic run`. */
export interface RunCommandFlags extends RunFlags {
  readonly input?: readonly string[];
  /** Prints the steps of the run without starting it. */
  readonly plan?: boolean;
  readonly config?: readonly string[];
}

/** What `atomic run` is called with. */
export interface RunCall {
  readonly name: string;
  readonly prompt: string | undefined;
  readonly flags: RunCommandFlags;
  /** What the scripted agent says and does, where it is the agent. */
  readonly scriptedAgent?: AgentScript;
  /** Runs the built-in workflow of this name, whatever the project has. @default false */
  readonly isBuiltIn?: boolean;
  /** See `RunPlan`. */
  readonly presentOutput?: PresentOutput;
  /** See `RunPlan`. */
  readonly git?: GitReader;
}

/** `atomic run WORKFLOW [PROMPT]`: runs a workflow from its beginning. */
export async function runWorkflowCommand(
  environment: CliEnvironment,
  { name, prompt, flags, scriptedAgent, isBuiltIn = false, presentOutput, git }: RunCall,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { projectDirectory, workingDirectory } = workspace;
  const isJson = flags.json ?? false;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson });
  const inputs = parseInputFlags(flags.input ?? []);
  const text = await readPrompt(environment, prompt, { name, isBuiltIn });
  const wanted = { environment, workspace, projectDirectory, trust, flags, name, isBuiltIn };
  const { workflow, config } = await loadForRun(wanted);
  // The session keeps it for a resume, which must build the same workflow.
  const workflowConfig = workspace.redactor.value(parseConfigFlags(flags.config, workflow.metadata));
  const permissionFlags = permissionFlagsOf(flags);
  const permissions = resolvePermissions({
    configured: config.permissions,
    flags: permissionFlags,
    ...{ atomicHome: workspace.atomicHome, workingDirectory },
  });
  const sandbox = resolveSandboxSetting({ config, flags, environment });
  const agent = flags.agent ?? config.agent ?? DEFAULT_AGENT;
  const model = flags.model ?? modelFor(config, agent);
  // Before a person is asked for inputs.
  assertKnownAgent(agent, config);
  const typed = typedWorkflow(workflow);
  const typedInput = typed && (await resolveTypedInput(environment, typed, { prompt: text, inputs, isJson }));
  if (typed !== undefined && typedInput === undefined) return ExitCode.cancelled;
  const unread = isJson ? [] : describeUnreadInputs(workflow, inputs.keys());
  for (const note of unread) environment.stderr.write(`note: ${note}\n`);
  const inputOf = (graph: CompiledGraph) => typedInput ?? createInput(graph, text, inputs);
  if (flags.plan) {
    const asked = { environment, workspace, projectDirectory, config, workflow, flags, agent, model, inputOf };
    return await planCommand({ ...asked, workflowConfig, permissions, isSandboxed: sandbox !== undefined });
  }
  const about = { environment, workspace, projectDirectory, trust, config, workflow, flags, agent, model, permissions };
  const readingBase = readStart({ environment, projectDirectory, workingDirectory, git });
  return await executeRun({
    ...about,
    sandbox,
    workflowConfig,
    workingDirectory,
    scriptedAgent,
    presentOutput,
    git,
    checksUses: true,
    inputOf,
    execute: async (options, input) => {
      const base = await readingBase;
      return await workspace.runs.start({
        ...options,
        input,
        projectDirectory,
        settings: {
          permissions: config.permissions ?? { rules: [] },
          permissionFlags,
          workingDirectory,
          ...(sandbox === undefined ? {} : { sandbox }),
          ...(base === undefined ? {} : { base }),
          ...(isBuiltIn ? { isBuiltIn } : {}),
          ...(workflow.outsidePath === undefined ? {} : { workflowFile: workflow.outsidePath }),
          ...(workflowConfig === undefined ? {} : { workflowConfig }),
        },
      });
    },
  });
}

/** @throws UsageError for one that says nothing: a variable of the shell that is not set would have agents work on it */
async function readPrompt(
  environment: CliEnvironment,
  prompt: string | undefined,
  { name, isBuiltIn }: { readonly name: string; readonly isBuiltIn: boolean },
): Promise<string | undefined> {
  if (prompt === undefined) return undefined;
  const text = await readText(prompt, environment);
  if (text.trim() !== "") return text;
  const remedy = isBuiltIn
    ? `atomic ${name} "…"`
    : `atomic run ${quoteWord(name)} "…", or leave it out where the workflow needs none.`;
  throw new UsageError(`The prompt is empty. Say what to do: ${remedy}`);
}

/** What a run of a workflow is loaded by. */
export interface LoadForRunOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly projectDirectory: string;
  readonly trust: ProjectTrust;
  readonly flags: RunFlags;
  /** The workflow's name, or the path of its file. */
  readonly name: string;
  /** The agent that the run was started with. */
  readonly earlierAgent?: string | undefined;
  /** Loads the built-in workflow, whatever the project has. @default false */
  readonly isBuiltIn?: boolean | undefined;
}

/** Where a program reads events, what files say while they are loaded is one of them. */
function sayAsEvents({ userCode, stdout }: CliEnvironment, flags: RunFlags): void {
  if (!flags.json) return;
  const reporter = createJsonReporter(stdout);
  userCode.sayTo((text) => reporter.log(text));
}

/** Settles whether the project is trusted, once, before anything of it is loaded. */
export async function loadForRun(
  options: LoadForRunOptions,
): Promise<{ readonly workflow: FoundWorkflow; readonly config: Config }> {
  const { environment, workspace, projectDirectory, trust, flags, name, earlierAgent, isBuiltIn = false } = options;
  sayAsEvents(environment, flags);
  if (flags.trust) await trust.trustByOption();
  const known = await workspace.loadConfig(projectDirectory);
  const agent = flags.agent ?? earlierAgent ?? known.agent ?? DEFAULT_AGENT;
  await trust.askFor(agent, known, ["atomic", "workflows", "tools", ...hookOwners(known, flags)]);
  await workspace.reportChanges(projectDirectory);
  const workflow = isBuiltIn
    ? (await workspace.findBuiltIn(name, projectDirectory)).workflow
    : await workspace.findWorkflow(name, projectDirectory, (files, folder) => confirmTrust(files, folder, options));
  // The answer may have made the project's own settings count.
  return { workflow, config: await workspace.loadConfig(projectDirectory) };
}

/** Whether files may run code. Those of a workflow file in another folder need that folder's trust, not the project's. */
async function confirmTrust(
  files: readonly string[],
  folder: string,
  { environment, workspace, projectDirectory, trust, flags }: LoadForRunOptions,
): Promise<boolean> {
  if (folder === projectDirectory) return await trust.confirm(files);
  const isJson = flags.json ?? false;
  const other = { environment, workspace, projectDirectory: folder, workingDirectory: folder, isJson };
  return flags.trust || (await new ProjectTrust(other).confirm(files));
}
