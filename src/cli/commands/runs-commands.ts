import type { Json, RunErrorInfo } from "../../contracts/index.ts";
import type { RunSummary } from "../../graph/index.ts";
import { describeLoss } from "../../graph/run-kit.ts";
import { formatTime, formatUsage, formatUsageByAgent, safeLine, safeText, type TableStyle } from "../../view/index.ts";
import type { RunReport } from "../../workflows/index.ts";
import {
  type InheritedPast,
  isUnstartedFork,
  pauseStateOf,
  readInheritedPast,
  readVisitTitles,
  shownStatusOf,
} from "../../workflows/run-kit.ts";
import { UsageError } from "../config/usage-error.ts";
import { type CliEnvironment, isDebug } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatAgentQuestion } from "../output/format-agent-question.ts";
import { type FailureStyle, formatFailure } from "../output/format-failure.ts";
import { formatJson } from "../output/format-json.ts";
import { formatOutput } from "../output/format-output.ts";
import { formatPublished } from "../output/format-permission.ts";
import { afterFailure, formatRequest } from "../output/format-result.ts";
import { formatVisits, type TitledNode } from "../output/format-visits.ts";
import { tableColumns } from "../output/terminal.ts";
import { withTitle } from "../output/with-title.ts";
import { withExactId } from "../prompts/parse-answer.ts";
import { readPublished } from "../prompts/published-permissions.ts";
import { readPublishedQuestions } from "../prompts/published-questions.ts";
import { inputFieldsOf, promptOf } from "../run-input.ts";
import { Workspace } from "../workspace.ts";
import { assertOnePart, type PartFlags, showLog, showState } from "./show-part.ts";
import { withRunId } from "./with-run-id.ts";

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
  const id = await workspace.store.resolveId(prefix);
  return await withRunId(id, () => showRun(environment, workspace, { id, flags }));
}

/** The longest sentence about a file that is left out, in columns. */
const MAX_LEFT_OUT = 1_000;

async function showRun(
  environment: CliEnvironment,
  workspace: Workspace,
  { id, flags }: { readonly id: string; readonly flags: ShowFlags & PartFlags },
): Promise<ExitCode> {
  const { runs, redactor } = workspace;
  if (flags.log) return await showLog(environment, workspace, { id, isJson: flags.json ?? false });
  // An older version may have written it without redaction.
  const plain = redactor.value(await runs.report(id));
  if (flags.state) return await showState(environment, workspace, { report: plain, isJson: flags.json ?? false });
  if (flags.output) return showOutput(environment, plain, flags);
  const report = redactor.value(await withTitles(plain));
  const onUnusable = (text: string): void =>
    void environment.stderr.write(`${safeLine(redactor.text(text), MAX_LEFT_OUT)}\n`);
  const { sessionDir } = report.session;
  const asked = report.status === "running" ? readPublished(sessionDir, onUnusable) : [];
  const questions = report.status === "running" ? readPublishedQuestions(sessionDir, onUnusable) : [];
  const columns = tableColumns(environment.stdout);
  const json = {
    ...reportAsJson(report),
    ...(asked.length === 0 ? {} : { permissionRequests: asked }),
    ...(questions.length === 0 ? {} : { agentQuestions: questions }),
  };
  const lines = [
    formatReport(report, { isDebug: isDebug(environment), columns }),
    ...asked.flatMap((one) => ["", ...formatPublished(id, one, columns)]),
    ...questions.flatMap((one) => ["", ...formatAgentQuestion(id, one)]),
  ];
  environment.stdout.write(flags.json ? `${formatJson(json)}\n` : `${lines.join("\n")}\n`);
  return plain.missing === undefined ? ExitCode.done : ExitCode.failed;
}

/** A report whose visits have their titles, with what a fork took over. */
type TitledReport = Omit<RunReport, "summary"> & {
  readonly inherited?: InheritedPast;
  readonly summary: (Omit<RunSummary, "nodes"> & { readonly nodes: readonly TitledNode[] }) | undefined;
};

async function withTitles(report: RunReport): Promise<TitledReport> {
  const { summary, session } = report;
  if (summary === undefined) return { ...report, summary };
  const titles = await readVisitTitles(session.sessionDir);
  const inherited = await readInheritedPast(session.sessionDir);
  return {
    ...report,
    summary: { ...summary, nodes: summary.nodes.map((node) => withTitle(node, titles)) },
    ...(inherited === undefined ? {} : { inherited }),
  };
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

function reportAsJson({
  session,
  status,
  summary,
  missing,
  inherited,
}: TitledReport): Readonly<Record<string, unknown>> {
  const { sessionId: runId, nodeHistory: _nodes, hasBegun: _begun, pauseRequestedAt: _pause, ...about } = session;
  const lost = missing && { code: missing.code, message: missing.message };
  const { requests = [], nodes = [], usage, usageByAgent, error = lost, output, losses, dueAt } = summary ?? {};
  const rest = {
    ...(usageByAgent === undefined ? {} : { usageByAgent }),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(error === undefined ? {} : { error }),
    ...(output === undefined ? {} : { output }),
    ...(losses === undefined ? {} : { losses }),
    ...(inherited === undefined ? {} : { inherited }),
  };
  const asked = requests.map(withExactId);
  return { runId, ...about, status: shownStatusOf(session, status), requests: asked, nodes, usage, ...rest };
}

/** The agent that people see: a replay asks none. */
export function agentOf({
  agent,
  settings,
}: Partial<Pick<RunReport["session"], "agent" | "settings">>): string | undefined {
  return settings?.recording?.type === "replay" ? "replay" : agent;
}

function formatReport(
  { session, status, summary, missing, inherited }: TitledReport,
  style: FailureStyle & TableStyle,
): string {
  const { sessionId, workflowName, createdAt, projectDirectory, sessionDir, forkedFrom } = session;
  const agent = agentOf(session);
  const pause = pauseStateOf(session, status);
  const lines = [
    `Run       ${sessionId}`,
    `Workflow  ${safeText(workflowName)}`,
    `Status    ${shownStatusOf(session, status)}`,
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
  const earlier = inherited === undefined ? "" : formatUsage(inherited.usage);
  const share = earlier === "" ? "" : `, of which inherited: ${earlier}`;
  if (total !== "") lines.push(`Usage     ${total}${share}`, ...formatUsageByAgent(summary.usageByAgent));
  if (summary.dueAt !== undefined && status !== "running") {
    lines.push(`Due       ${formatTime(new Date(summary.dueAt).toISOString())} UTC, resumed by: atomic runs due`);
  }
  for (const loss of summary.losses ?? []) lines.push("", `warning: ${safeText(describeLoss(sessionId, loss))}`);
  lines.push("", formatVisits(summary.nodes, { status, inherited: inherited?.visits ?? [] }, style));
  if (summary.error !== undefined) lines.push("", ...formatFailure(summary.error, style));
  for (const request of summary.requests) lines.push("", ...formatRequest(sessionId, request, style));
  if (summary.output !== undefined) lines.push("", `Print its output: atomic runs show ${sessionId} --output`);
  if (pause === "pausing") lines.push("", ...describePausing(sessionId));
  if (isUnstartedFork(session, status)) return [...lines, "", `Start it: atomic runs resume ${sessionId}`].join("\n");
  const isPaused = pause === "paused" || (status === "suspended" && summary.requests.length === 0);
  return [...lines, ...nextStep(sessionId, isPaused ? "interrupted" : status, summary.error)].join("\n");
}

function formatInput(input: Json): readonly string[] {
  const prompt = promptOf(input);
  const others = inputFieldsOf(input).filter(([name]) => name !== "prompt");
  return [
    ...(prompt === undefined ? [] : [`Prompt    ${safeLine(prompt, INPUT_COLUMNS)}`]),
    ...others.map(([name, text]) => `Input     ${safeLine(`${name}=${text}`, INPUT_COLUMNS)}`),
  ];
}

function describePausing(runId: string): readonly string[] {
  return ["It pauses when the steps in progress have finished.", `Withdraw the pause: atomic runs resume ${runId}`];
}

function describeUnbegun(status: RunReport["status"]): string {
  return status === "running" ? "It is about to begin its first step." : "It ended before its first step.";
}

function nextStep(runId: string, status: RunReport["status"], error?: RunErrorInfo): readonly string[] {
  if (status === "failed" && error !== undefined) return ["", ...afterFailure(error, runId)];
  const canGoOn = status === "interrupted" || status === "failed" || status === "cancelled";
  return canGoOn ? ["", `Resume it: atomic runs resume ${runId}`] : [];
}
