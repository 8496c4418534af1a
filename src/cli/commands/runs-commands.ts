import type { Json, RunErrorInfo } from "../../contracts/index.ts";
import { describeLoss, type NodeSummary } from "../../graph/index.ts";
import {
  formatDuration,
  formatTable,
  formatTime,
  formatUsage,
  formatUsageByAgent,
  safeLine,
  safeText,
  type TableStyle,
} from "../../view/index.ts";
import type { RunReport } from "../../workflows/index.ts";
import { UsageError } from "../config/usage-error.ts";
import { type CliEnvironment, isDebug } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { type FailureStyle, formatFailure } from "../output/format-failure.ts";
import { formatJson } from "../output/format-json.ts";
import { formatOutput } from "../output/format-output.ts";
import { formatPublished } from "../output/format-permission.ts";
import { afterFailure, formatRequest } from "../output/format-result.ts";
import { tableColumns } from "../output/terminal.ts";
import { readPublished } from "../prompts/published-permissions.ts";
import { Workspace } from "../workspace.ts";
import { assertOnePart, type PartFlags, showLog, showState } from "./show-part.ts";

/** The width of an input in a report. */
const INPUT_COLUMNS = 200;

/** Options of the commands that only print. */
export interface ShowFlags {
  readonly json?: boolean;
}

/** `atomic runs show ID`: what a run did so far. */
export async function showRunCommand(
  environment: CliEnvironment,
  prefix: string,
  flags: ShowFlags & PartFlags,
): Promise<ExitCode> {
  assertOnePart(flags);
  const workspace = new Workspace(environment);
  const { store, runs } = workspace;
  const id = await store.resolveId(prefix);
  if (flags.log) return await showLog(environment, workspace, { id, isJson: flags.json ?? false });
  // An older version may have written it without redaction.
  const report = workspace.redactor.value(await runs.report(id));
  const asked = report.status === "running" ? readPublished(report.session.sessionDir) : [];
  if (flags.state) return await showState(environment, workspace, { report, isJson: flags.json ?? false });
  if (flags.output) return showOutput(environment, report, flags);
  const columns = tableColumns(environment.stdout);
  environment.stdout.write(
    flags.json
      ? `${formatJson({ ...reportAsJson(report), ...(asked.length === 0 ? {} : { permissionRequests: asked }) })}\n`
      : `${[formatReport(report, { isDebug: isDebug(environment), columns }), ...asked.flatMap((one) => ["", ...formatPublished(id, one, columns)])].join("\n")}\n`,
  );
  return ExitCode.done;
}

/** Prints only the output of a run. @throws UsageError */
function showOutput({ stdout }: CliEnvironment, { session, status, summary }: RunReport, flags: ShowFlags): ExitCode {
  const { sessionId } = session;
  if (status !== "completed") {
    throw new UsageError(
      `The run "${sessionId}" has no output: it is ${status}. Look at it with: atomic runs show ${sessionId}`,
    );
  }
  const output = summary?.output;
  if (flags.json) stdout.write(`${formatJson(output ?? null)}\n`);
  else if (output !== undefined) stdout.write(`${formatOutput(output)}\n`);
  return ExitCode.done;
}

function reportAsJson({ session, status, summary, missing }: RunReport): Readonly<Record<string, unknown>> {
  const { sessionId: runId, nodeHistory: _nodes, hasBegun: _begun, ...about } = session;
  const lost = missing && { code: missing.code, message: missing.message };
  const { requests = [], nodes = [], usage, usageByAgent, error = lost, output, losses, dueAt } = summary ?? {};
  const rest = {
    ...(usageByAgent === undefined ? {} : { usageByAgent }),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(error === undefined ? {} : { error }),
    ...(output === undefined ? {} : { output }),
    ...(losses === undefined ? {} : { losses }),
  };
  return { runId, ...about, status, requests, nodes, usage, ...rest };
}

function formatReport({ session, status, summary, missing }: RunReport, style: FailureStyle & TableStyle): string {
  const { sessionId, workflowName, createdAt, agent, projectDirectory, sessionDir, forkedFrom } = session;
  const lines = [
    `Run       ${sessionId}`,
    `Workflow  ${safeText(workflowName)}`,
    `Status    ${status}`,
    `Started   ${formatTime(createdAt)} UTC`,
    ...(agent === undefined ? [] : [`Agent     ${safeText(agent)}`]),
    ...(forkedFrom === undefined ? [] : [`Forked    from ${forkedFrom.runId} at ${forkedFrom.at}`]),
    `Project   ${safeText(projectDirectory)}`,
    `Session   ${safeText(sessionDir)}`,
    ...formatInput(session.input),
  ];
  if (missing !== undefined) return [...lines, "", safeText(missing.message)].join("\n");
  if (summary === undefined) return [...lines, "", describeUnbegun(status), ...nextStep(sessionId, status)].join("\n");
  const total = formatUsage(summary.usage);
  if (total !== "") lines.push(`Usage     ${total}`, ...formatUsageByAgent(summary.usageByAgent));
  if (summary.dueAt !== undefined && status !== "running") {
    lines.push(`Due       ${formatTime(new Date(summary.dueAt).toISOString())} UTC, resumed by: atomic runs due`);
  }
  for (const loss of summary.losses ?? []) lines.push("", `warning: ${safeText(describeLoss(sessionId, loss))}`);
  const { nodes } = summary;
  const rows = nodes.map((node) => formatNode(node, status, isAroundWaiting(node, nodes)));
  lines.push("", formatTable(["NODE", "STATUS", "TIME", "ATTEMPTS", "USAGE", "ERROR"], rows, style));
  if (summary.error !== undefined) lines.push("", ...formatFailure(summary.error, style));
  for (const request of summary.requests) lines.push("", ...formatRequest(sessionId, request, style));
  if (summary.output !== undefined) lines.push("", `Print its output: atomic runs show ${sessionId} --output`);
  const isPaused = status === "suspended" && summary.requests.length === 0;
  return [...lines, ...nextStep(sessionId, isPaused ? "interrupted" : status, summary.error)].join("\n");
}

/** The prompt among the inputs of a run. */
export function promptOf(input: Json): string | undefined {
  return fieldsOf(input).find(([name]) => name === "prompt")?.[1];
}

/** The inputs of a run, by name; strings as they are. */
function fieldsOf(input: Json): readonly (readonly [name: string, text: string])[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  return Object.entries(input).map(([name, value]) => [name, typeof value === "string" ? value : formatJson(value)]);
}

function formatInput(input: Json): readonly string[] {
  const prompt = promptOf(input);
  const others = fieldsOf(input).filter(([name]) => name !== "prompt");
  return [
    ...(prompt === undefined ? [] : [`Prompt    ${safeLine(prompt, INPUT_COLUMNS)}`]),
    ...others.map(([name, text]) => `Input     ${safeLine(`${name}=${text}`, INPUT_COLUMNS)}`),
  ];
}

function describeUnbegun(status: RunReport["status"]): string {
  return status === "running" ? "It is about to begin its first step." : "It ended before its first step.";
}

function nextStep(runId: string, status: RunReport["status"], error?: RunErrorInfo): readonly string[] {
  if (status === "failed" && error !== undefined) return ["", ...afterFailure(error, runId)];
  const canGoOn = status === "interrupted" || status === "failed" || status === "cancelled";
  return canGoOn ? ["", `Resume it: atomic runs resume ${runId}`] : [];
}

/** Whether something waits within a node that has started: in a call of a script, or in a workflow that it runs. */
function isAroundWaiting({ status, taskId }: NodeSummary, nodes: readonly NodeSummary[]): boolean {
  if (status !== "started") return false;
  const waiting = nodes.filter((node) => node.status === "waiting" || node.status === "sleeping");
  return waiting.some((node) => node.taskId.startsWith(`${taskId}[`) || node.taskId.startsWith(`${taskId}/`));
}

function formatNode(node: NodeSummary, runStatus: RunReport["status"], isWaitingWithin: boolean): readonly string[] {
  const { taskId, durationMs, attempts, usage, error } = node;
  const time = durationMs === undefined ? "" : formatDuration(durationMs);
  const status = isWaitingWithin ? "waiting" : `${statusOf(node, runStatus)}${describeWait(node)}`;
  return [taskId, status, time, String(attempts), formatUsage(usage), error === undefined ? "" : safeLine(error, 80)];
}

/** What a node waits for, if that is a time. */
function describeWait({ status, wakesAt, retryAt = 0 }: NodeSummary): string {
  const time = (moment: number): string => `${formatTime(new Date(moment).toISOString())} UTC`;
  if (wakesAt !== undefined) return ` until ${time(wakesAt)}`;
  return status === "started" && retryAt > Date.now() ? `, next attempt ${time(retryAt)}` : "";
}

/** Without a process that executes the run, a started node has stopped: resuming restarts it. */
function statusOf({ status, attempts, isPassed }: NodeSummary, runStatus: RunReport["status"]): string {
  if (status === "completed" && isPassed === false) return "not passed";
  if (status !== "started" || runStatus === "running") return status;
  return attempts === 0 ? "not begun" : "stopped";
}
