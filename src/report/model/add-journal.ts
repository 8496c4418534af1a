import type { NodeSummary, RunCheckpoint, RunSummary } from "../../graph/index.ts";
import type { LogEntry } from "../../workflows/index.ts";
import type { RunEventFold } from "./run-events.ts";
import type { ReportedRunStatus, ReportedStatus } from "./run-report-page.ts";
import { tokensOf } from "./usages-of.ts";
import { shortened, VisitDraft } from "./visit-draft.ts";

/** Brings what was read of a run's events in line with its journal, which is complete and decides about the status. */
export function addJournal(fold: RunEventFold, summary: RunSummary, status: ReportedRunStatus): void {
  const waiting = summary.nodes.filter((node) => node.status === "waiting").map(({ taskId }) => taskId);
  // A script or a graph waits while something in it does.
  const statusFor = (node: NodeSummary): ReportedStatus => {
    const own = statusOf(node, status);
    return own === "stopped" && waiting.some((taskId) => taskId.startsWith(`${node.taskId}/`)) ? "waiting" : own;
  };
  for (const node of summary.nodes) {
    const { taskId, nodeId, durationMs, endedAt } = node;
    let visit = fold.visits.get(taskId);
    if (visit === undefined) {
      visit = new VisitDraft({ taskId, nodeId });
      fold.visits.set(taskId, visit);
      if (endedAt !== undefined) visit.begin("work", endedAt - (durationMs ?? 0));
      if (endedAt !== undefined) visit.end(endedAt, statusFor(node));
    }
    visit.status = statusFor(node);
    visit.attempts = Math.max(visit.attempts, node.attempts);
    visit.durationMs ??= durationMs;
    visit.endedAt ??= endedAt;
    if (tokensOf(node.usage) > 0) visit.usage = node.usage;
    if (node.usageByAgent !== undefined) visit.usageByAgent = node.usageByAgent;
    if (node.error !== undefined) visit.error ??= { code: "", message: node.error };
    // What is open lasts until the last moment that is known.
    const lastAt = Math.max(fold.lastAt, summary.updatedAt);
    if (visit.isOpen && visit.status === "stopped") visit.interrupt(lastAt);
    else if (visit.isOpen) visit.stop(lastAt);
  }
  for (const { id: requestId, nodeId, question, options = [], askedAt } of summary.requests) {
    if (fold.questions.has(requestId)) continue;
    fold.questions.set(requestId, { requestId, nodeId, question, options: options.map(({ label }) => label), askedAt });
  }
}

/** Without a process that executes the run, a started node has stopped. */
function statusOf({ status, attempts, isPassed }: NodeSummary, runStatus: ReportedRunStatus): ReportedStatus {
  if (status === "completed") return isPassed === false ? "not passed" : "completed";
  if (status !== "started") return status;
  if (runStatus === "running") return "running";
  return attempts === 0 ? "not visited" : "stopped";
}

/** The form in which the log of a run has a command. */
const COMMAND = /^\$ ([\s\S]*?) {2}exit code (-?\d+), (\d+) ms(?:\n([\s\S]*))?$/;

/** Adds what the journal and the log have of a run without recorded events: commands, questions, failures and warnings. */
export function addLog(fold: RunEventFold, log: readonly LogEntry[], moments: readonly RunCheckpoint[]): void {
  for (const { at, type, taskId, message } of log) {
    const visit = taskId === undefined ? undefined : fold.visits.get(taskId);
    if (visit === undefined) {
      if (type === "warning" || type === "graph-changed") fold.warnings.push({ at, message: shortened(message) });
      continue;
    }
    const [, command, exitCode, durationMs, output] = (type === "command-end" && COMMAND.exec(message)) || [];
    if (command === undefined) visit.add({ type: "log", at, message: shortened(message) });
    else {
      const about = { command, exitCode: Number(exitCode), durationMs: Number(durationMs) };
      visit.add({ type: "command", at, ...about, ...(output === undefined ? {} : { output }) });
    }
  }
  const asked = new Map(
    log.flatMap(({ type, taskId, message }) =>
      type === "request" && taskId !== undefined ? [[taskId, message.replace(/^Asked: /, "")] as const] : [],
    ),
  );
  for (const { type, at, taskId, nodeId } of moments) {
    if (type === "request") addQuestion(fold, { at, taskId, nodeId, question: asked.get(taskId) });
    else if (type === "answer") {
      const [id, question] = [...fold.questions].findLast(([, { taskId: asking }]) => asking === taskId) ?? [];
      if (id !== undefined && question !== undefined) fold.questions.set(id, { ...question, answeredAt: at });
    }
  }
}

function addQuestion(
  fold: RunEventFold,
  asked: {
    readonly at: number;
    readonly taskId: string;
    readonly nodeId: string;
    readonly question: string | undefined;
  },
): void {
  const { at: askedAt, taskId, nodeId, question } = asked;
  const open = [...fold.questions.values()].find((known) => known.nodeId === nodeId && known.askedAt === askedAt);
  const requestId = open?.requestId ?? `${taskId} ${askedAt}`;
  const about = { requestId, taskId, nodeId, options: [], askedAt, ...(question === undefined ? {} : { question }) };
  fold.questions.set(requestId, { ...about, ...open, taskId });
}
