import type { PermissionPolicy } from "../../contracts/index.ts";
import type { Answers, SteeringCommand } from "../../graph/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import { DEFAULT_AGENT } from "../agent-types.ts";
import { modelFor } from "../config/config.ts";
import { resolvePermissions } from "../config/resolve-permissions.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import type { CliEnvironment } from "../environment.ts";
import { executeRun, parseAnswer } from "../execute-run.ts";
import type { ExitCode } from "../exit-code.ts";
import { permissionFlagsOf, type RunFlags } from "../run-flags.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { UsageError } from "../usage-error.ts";
import { Workspace } from "../workspace.ts";
import { loadForRun } from "./run-command.ts";

/** `atomic runs resume ID`: goes on with a run that was stopped, killed, or failed. */
export async function resumeCommand(environment: CliEnvironment, prefix: string, flags: RunFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(prefix);
  return await continueRun({ environment, workspace, session: await workspace.store.load(id), flags });
}

/** `atomic runs answer ID ANSWER`: answers a run's question and goes on with the run. */
export async function answerCommand(
  environment: CliEnvironment,
  {
    prefix,
    answer,
    flags,
  }: { readonly prefix: string; readonly answer: string; readonly flags: RunFlags & { readonly request?: string } },
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(prefix);
  const { session, summary, missing } = await workspace.runs.report(id);
  if (missing !== undefined) throw missing;
  const requests = summary?.requests ?? [];
  const [first] = requests;
  if (first === undefined)
    throw new UsageError(`The run "${id}" asks nothing. Look at it with: atomic runs show ${id}`);
  if (flags.request === undefined && requests.length > 1) {
    const ids = requests.map((request) => request.id).join(", ");
    throw new UsageError(`The run "${id}" asks ${requests.length} things (${ids}). Say which one with --request.`);
  }
  const request = flags.request === undefined ? first : requests.find((candidate) => candidate.id === flags.request);
  const requestId = flags.request ?? first.id;
  const value = request === undefined ? answer : parseAnswer(request, answer);
  return await continueRun({ environment, workspace, session, flags, answers: { [requestId]: value } });
}

/** What goes on with a run. */
export interface ContinueOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly session: WorkflowSession;
  readonly flags: RunFlags;
  readonly answers?: Answers;
  /** What is to be done to nodes before anything else. */
  readonly commands?: readonly SteeringCommand[];
}

/** The policy that a run was started with, and what the settings have denied since. */
function withDenials(
  earlier: PermissionPolicy | undefined,
  today: PermissionPolicy | undefined,
): PermissionPolicy | undefined {
  if (earlier === undefined || today === undefined) return earlier ?? today;
  const denials = today.rules.filter(({ effect }) => effect === "deny");
  const protectedPaths = [...(earlier.protectedPaths ?? []), ...(today.protectedPaths ?? [])];
  return {
    ...earlier,
    rules: [...earlier.rules, ...denials],
    ...(protectedPaths.length === 0 ? {} : { protectedPaths }),
  };
}

/** Executes a run that is there already, in the project and with the settings it was started with. */
export async function continueRun({
  environment,
  workspace,
  session,
  flags,
  answers = {},
  commands = [],
}: ContinueOptions): Promise<ExitCode> {
  const { sessionId, projectDirectory, settings } = session;
  const workingDirectory = settings?.workingDirectory ?? projectDirectory;
  const isJson = flags.json ?? false;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson });
  const about = { environment, workspace, projectDirectory, trust, flags };
  const name = session.workflowName;
  const { workflow, config } = await loadForRun({ ...about, name, earlierAgent: session.agent });
  const permissions = resolvePermissions({
    configured: withDenials(settings?.permissions, config.permissions),
    flags: permissionFlagsOf(flags),
    ...{ atomicHome: workspace.atomicHome, workingDirectory },
  });
  const earlierAgent = session.agent ?? config.agent ?? DEFAULT_AGENT;
  const agent = flags.agent ?? earlierAgent;
  // The model it was started with is one of the agent it was started with.
  const earlierModel = agent === earlierAgent ? session.model : undefined;
  const model = flags.model ?? earlierModel ?? modelFor(config, agent);
  return await executeRun({
    ...about,
    sandbox: resolveSandboxSetting({ config, flags, environment, earlier: settings?.sandbox }),
    ...{ config, workflow, agent, model, permissions },
    workingDirectory,
    execute: (options) => workspace.runs.resume(sessionId, answers, { ...options, commands }),
  });
}
