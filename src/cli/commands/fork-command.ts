import type { RunCheckpoint, RunServices } from "../../graph/index.ts";
import { safeText } from "../../view/index.ts";
import { forkSession, type WorkflowSession } from "../../workflows/index.ts";
import { parseAssignments } from "../config/parse-assignment.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { assertFolders, workflowOf } from "../run-folders.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { Workspace } from "../workspace.ts";
import { type DetachFlags, detachCommand } from "./detach-command.ts";
import { readFields } from "./edit-command.ts";
import { continueRun } from "./resume-command.ts";
import { loadForRun } from "./run-command.ts";

/** Options of `atomic runs fork`. */
export interface ForkFlags extends RunFlags, DetachFlags {
  readonly at?: string;
  readonly set?: readonly string[];
  /** `false` with `--no-run`. */
  readonly run?: boolean;
}

/** So many moments are named. */
const MAX_NAMED = 10;

/** `atomic runs fork RUN`: starts a new run from a moment of another one, which does not change. */
export async function forkCommand(environment: CliEnvironment, prefix: string, flags: ForkFlags): Promise<ExitCode> {
  if (flags.run === false && flags.detach === true) {
    throw new UsageError(
      "--no-run and --detach exclude each other: a run that is not started has no process. Leave one out.",
    );
  }
  const workspace = new Workspace(environment);
  const texts = parseAssignments(flags.set ?? [], "--set FIELD=VALUE");
  const runId = await workspace.store.resolveId(prefix);
  const { session: origin, missing } = await workspace.runs.report(runId);
  if (missing !== undefined) throw missing;
  // Check before asking a person to trust the project.
  const at = momentOf(runId, await workspace.runs.history(runId), flags.at);
  assertFolders(origin);
  const session = await fork(environment, workspace, { origin, at, texts, flags });
  const { sessionId: id, workflowName } = session;
  const { stdout, stderr } = environment;
  if (flags.run === false) {
    const line = `forked  ${safeText(workflowName)}  run ${id}  from ${runId} at ${at}. Start it: atomic runs resume ${id}`;
    stdout.write(`${flags.json ? formatJson({ type: "forked", runId: id, from: runId, at }) : line}\n`);
    return ExitCode.done;
  }
  if (!flags.json) stderr.write(`Forked from ${runId} at ${at}: run ${id}\n`);
  const { lastUpdated } = await workspace.store.load(id);
  const args = ["runs", "resume", id, ...argumentsOf(flags)];
  const call =
    flags.detach === true
      ? detachCommand(environment, { run: id, args, isJson: flags.json ?? false })
      : continueRun({ environment, workspace, session, flags });
  try {
    return await call;
  } finally {
    await tellUnbegun(environment, workspace, { id, lastUpdated, runId, at, isJson: flags.json ?? false });
  }
}

interface Forked {
  readonly id: string;
  /** When its session was saved before a process could take it. */
  readonly lastUpdated: string;
  /** The run that it was forked from. */
  readonly runId: string;
  readonly at: number;
  readonly isJson: boolean;
}

/** Says that a fork is there which could not begin, for example because another run uses the working tree. */
async function tellUnbegun(
  { stdout, stderr }: CliEnvironment,
  { store }: Workspace,
  { id, lastUpdated, runId, at, isJson }: Forked,
): Promise<void> {
  // What ended the call must be reported, also where the session cannot be read.
  const session = await store.load(id).catch(() => undefined);
  // A process that executes the run saves its session.
  if (session?.lastUpdated !== lastUpdated) return;
  const next = `Start it: atomic runs resume ${id}. Delete it: atomic runs delete ${id} --force`;
  if (isJson) stdout.write(`${formatJson({ type: "forked", runId: id, from: runId, at })}\n`);
  else stderr.write(`The run ${id} has not begun. ${next}\n`);
}

/** The moment that is meant: the last one, if none is. @throws UsageError */
function momentOf(runId: string, moments: readonly RunCheckpoint[], wanted: string | undefined): number {
  const last = moments.at(-1);
  if (last === undefined) {
    throw new UsageError(`The run "${runId}" has not begun: there is no moment to fork it at.`);
  }
  if (wanted === undefined) return last.sequence;
  const known = moments.find(({ sequence }) => String(sequence) === wanted);
  if (known !== undefined) return known.sequence;
  const named = moments.slice(-MAX_NAMED).map(({ sequence, taskId, type }) => `${sequence} (${taskId || type})`);
  const more = moments.length > MAX_NAMED ? "The latest" : "Its moments";
  throw new UsageError(
    `The run "${runId}" has no moment ${wanted}. ${more}: ${named.join(", ")}. List all: atomic runs history ${runId}`,
  );
}

interface WantedFork {
  readonly origin: WorkflowSession;
  readonly at: number;
  readonly texts: ReadonlyMap<string, string>;
  readonly flags: ForkFlags;
}

async function fork(
  environment: CliEnvironment,
  workspace: Workspace,
  { origin, at, texts, flags }: WantedFork,
): Promise<WorkflowSession> {
  const { projectDirectory, settings, agent: earlierAgent } = origin;
  const workingDirectory = settings?.workingDirectory ?? projectDirectory;
  const isJson = flags.json ?? false;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson });
  const about = { environment, workspace, projectDirectory, trust, flags };
  const { workflow } = await loadForRun({
    ...about,
    name: workflowOf(origin),
    earlierAgent,
    isBuiltIn: settings?.isBuiltIn,
  });
  const graph = await workflow.create(settings?.workflowConfig);
  const leftError = environment.userCode.leftError();
  if (leftError !== undefined) throw leftError;
  const { metadata, migrateState } = workflow;
  const set = readFields(texts, graph.inputDefaults);
  const services: RunServices = {
    workflows: async (called, { config } = {}) =>
      await (await workspace.findWorkflow(called, projectDirectory, undefined)).create(config),
  };
  const read = { graph, metadata, services, ...(migrateState === undefined ? {} : { migrateState }) };
  const { store, redactor, runs } = workspace;
  const { pid, startedAt } = environment;
  const owner = { pid, startedAt: new Date(startedAt).toISOString() };
  const session = await forkSession({ store, owner, redactor }, { origin, at, ...read });
  try {
    if (texts.size > 0) await runs.edit(session.sessionId, { set }, { ...read, isOfStart: true });
  } catch (error) {
    await store.remove(session.sessionId);
    throw error;
  }
  return session;
}

/** The options that a process of its own needs to execute the run. */
function argumentsOf(flags: ForkFlags): readonly string[] {
  const texts = {
    "--agent": flags.agent,
    "--model": flags.model,
    "--max-tokens": flags.maxTokens,
    "--max-cost": flags.maxCost,
    "--ask": flags.ask,
    "--answers": flags.answers,
  };
  const switches = {
    "--yolo": flags.yolo,
    "--sandbox": flags.sandbox,
    "--alongside": flags.alongside,
    "--trust": flags.trust,
  };
  return [
    ...Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [`${name}=${text}`])),
    ...Object.entries(switches).flatMap(([name, isSet]) => (isSet ? [name] : [])),
    ...(flags.allow ?? []).map((rule) => `--allow=${rule}`),
    ...(flags.deny ?? []).map((rule) => `--deny=${rule}`),
  ];
}
