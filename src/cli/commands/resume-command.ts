import type { PermissionPolicy } from "../../contracts/index.ts";
import type { Answers, NodeCommand } from "../../graph/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import { inputOf } from "../../workflows/program-kit.ts";
import { pauseStateOf } from "../../workflows/run-kit.ts";
import { DEFAULT_AGENT } from "../agents/agent-types.ts";
import { modelFor } from "../config/config.ts";
import type { PermissionFlags } from "../config/permission-flags.ts";
import { resolvePermissions } from "../config/resolve-permissions.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import { permissionFlagsOf, type RunFlags } from "../config/run-flags.ts";
import { stricterPermissions } from "../config/stricter-permissions.ts";
import type { CliEnvironment } from "../environment.ts";
import { executeRun } from "../execute-run.ts";
import { ExitCode } from "../exit-code.ts";
import { untilInterrupted } from "../interruption.ts";
import { formatJson } from "../output/format-json.ts";
import { reachRun } from "../reach-run.ts";
import { assertFolders, workflowOf } from "../run-folders.ts";
import type { PresentOutput } from "../run-plan.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { Workspace } from "../workspace.ts";
import { loadForRun } from "./run-command.ts";

/** `atomic runs resume ID`: resumes a run that was stopped, was killed, or failed, or withdraws its pause. */
export async function resumeCommand(environment: CliEnvironment, prefix: string, flags: RunFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(prefix);
  const session = await workspace.store.load(id);
  // To learn the status of a run can mean to read its journal.
  const isPaused = session.pauseRequestedAt !== undefined;
  const isPausing = isPaused && pauseStateOf(session, await workspace.runs.status(session)) === "pausing";
  if (!isPausing) return await continueRun({ environment, workspace, session, flags });
  return await reachRun(workspace.runs, id, {
    toLiveRun: () => untilInterrupted(environment, (signal) => withdrawPause(environment, { id, signal, flags })),
    resume: async (attempt) =>
      await continueRun({
        ...{ environment, workspace, flags },
        session: await workspace.store.load(id),
        isRepeated: attempt > 1,
      }),
  });
}

interface Withdrawal {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly flags: { readonly json?: boolean };
}

/** The process that executes the run continues. @throws RunNotExecutedError when it has suspended the run */
async function withdrawPause(environment: CliEnvironment, { id, signal, flags }: Withdrawal): Promise<ExitCode> {
  await new Workspace(environment).runs.control(id, { signal }).unpause();
  const done = { type: "steered", runId: id, done: "resumed" };
  const text = `resumed  run ${id}. Its process continues. Watch it: atomic runs watch ${id}`;
  environment.stdout.write(`${flags.json ? formatJson(done) : text}\n`);
  return ExitCode.done;
}

/** Settings of {@link continueRun}. */
export interface ContinueOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly session: WorkflowSession;
  readonly flags: RunFlags;
  readonly answers?: Answers;
  /** What is to be done to nodes before anything else. */
  readonly commands?: readonly NodeCommand[];
  /** Whether an earlier attempt of the same call printed the advice about rules. @default false */
  readonly isRepeated?: boolean;
  /** See `RunPlan`. */
  readonly presentOutput?: PresentOutput | undefined;
}

/** What the settings say now, and said when the run was started: the stricter of both. */
function settledPermissions(
  earlier: PermissionPolicy | undefined,
  today: PermissionPolicy | undefined,
): PermissionPolicy | undefined {
  return earlier === undefined ? today : stricterPermissions(earlier, today ?? { rules: [] });
}

/** What the run was started with, and what this call adds to it. */
function joinFlags(earlier: PermissionFlags | undefined, today: PermissionFlags): PermissionFlags {
  if (earlier === undefined) return today;
  return {
    allow: [...earlier.allow, ...today.allow],
    deny: [...earlier.deny, ...today.deny],
    isYolo: earlier.isYolo || today.isYolo,
  };
}

/** Executes a run that is there already, in its project, with the options it was started with and settings that still hold. */
export async function continueRun({
  environment,
  workspace,
  session,
  flags,
  answers = {},
  commands = [],
  isRepeated = false,
  presentOutput,
}: ContinueOptions): Promise<ExitCode> {
  const { sessionId, projectDirectory, settings } = session;
  const workingDirectory = settings?.workingDirectory ?? projectDirectory;
  assertFolders(session);
  const isJson = flags.json ?? false;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson });
  const about = { environment, workspace, projectDirectory, trust, flags };
  const name = workflowOf(session);
  const isBuiltIn = settings?.isBuiltIn;
  const { workflow, config } = await loadForRun({ ...about, name, earlierAgent: session.agent, isBuiltIn });
  const permissions = resolvePermissions({
    configured: settledPermissions(settings?.permissions, config.permissions),
    flags: joinFlags(settings?.permissionFlags, permissionFlagsOf(flags)),
    ...{ atomicHome: workspace.atomicHome, workingDirectory },
  });
  const earlierAgent = session.agent ?? config.agent ?? DEFAULT_AGENT;
  const agent = flags.agent ?? earlierAgent;
  // The model it was started with is one of the agent it was started with.
  const earlierModel = agent === earlierAgent ? session.model : undefined;
  const model = flags.model ?? earlierModel ?? modelFor(config, agent);
  return await executeRun({
    ...about,
    sandbox: resolveSandboxSetting({ config, flags, environment, workingDirectory, earlier: settings?.sandbox }),
    ...{ config, workflow, agent, model, permissions, isRepeated },
    workflowConfig: settings?.workflowConfig,
    workingDirectory,
    presentOutput,
    session,
    inputOf: () => inputOf(session),
    execute: (options) => workspace.runs.resume(sessionId, answers, { ...options, commands }),
  });
}
