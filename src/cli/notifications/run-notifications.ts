import type { HumanRequest, RunErrorInfo, RunStatus, Usage } from "../../contracts/index.ts";
import { questionText } from "../../view/index.ts";
import type { RunNotification, RunReport, WorkflowSession } from "../../workflows/index.ts";
import { answerPlaceholder, exactIdOf, requestOption } from "../prompts/parse-answer.ts";
import { PERMISSION_ANSWERS, type PublishedPermission } from "../prompts/published-permissions.ts";

/** A notification, and when what it is about happened, in milliseconds since 1970. */
export interface DatedNotification {
  readonly notification: RunNotification;
  readonly at: number;
}

/** The run that a notification is about. */
export interface NotifiedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly project: string;
}

/** Names the run of a session in notifications. */
export function runOf({ sessionId, workflowName, projectDirectory }: WorkflowSession): NotifiedRun {
  return { runId: sessionId, workflow: workflowName, project: projectDirectory };
}

/** The notification about an open question. A step that is restarted asks another one, though it has the same id. */
export function notifyOfRequest(
  run: NotifiedRun,
  request: HumanRequest,
  { status, usage }: { readonly status: RunStatus; readonly usage: Usage },
): DatedNotification {
  const { askedAt: at, options } = request;
  const requestId = exactIdOf(request);
  const notification: RunNotification = {
    id: `${run.runId}:waiting:${requestId}:${at}`,
    type: "waiting",
    ...run,
    requestId,
    question: questionText(request),
    ...(options === undefined ? {} : { options }),
    answerCommand: `atomic runs answer ${run.runId} ${answerPlaceholder(request)} ${requestOption(request)}`,
    status,
    usage,
    at: new Date(at).toISOString(),
  };
  return { notification, at };
}

/** The notification about a permission request that waits for an answer from elsewhere. */
export function notifyOfPermission(
  { runId, ...run }: NotifiedRun,
  { id, request, askedAt, deadline }: PublishedPermission,
  usage: Usage,
): DatedNotification {
  const answers = PERMISSION_ANSWERS.filter((answer) => answer !== "always" || request.isOnce !== true);
  const notification: RunNotification = {
    id: `${runId}:waiting:${id}:${askedAt}`,
    type: "waiting",
    runId,
    ...run,
    requestId: id,
    question: `Allow this? ${request.title}`,
    options: answers.map((label) => ({ label })),
    answerCommand: `atomic runs answer ${runId} "…" --request ${id}`,
    deadline: new Date(deadline).toISOString(),
    status: "running",
    usage,
    at: new Date(askedAt).toISOString(),
  };
  return { notification, at: askedAt };
}

/**
 * The notifications that a run's journal requires at this moment: of its open questions, or of its end. They are the same,
 * and have the same ids, in whichever process and however often they are derived.
 *
 * @param since what happened earlier is left out, in milliseconds since 1970
 */
export function notificationsOf({ session, status, summary }: RunReport, since: number): readonly DatedNotification[] {
  if (summary === undefined) return [];
  const { usage, requests, error, endedAt, updatedAt } = summary;
  const run = runOf(session);
  if (status === "running" || status === "interrupted" || status === "suspended") {
    const known = { status: status === "interrupted" ? "running" : status, usage } as const;
    return requests.map((request) => notifyOfRequest(run, request, known)).filter(({ at }) => at >= since);
  }
  // Where the journal could not be written, its last record is as good.
  const at = endedAt ?? updatedAt;
  const notification: RunNotification = {
    id: `${run.runId}:${status}:${at}`,
    type: status,
    ...run,
    status,
    ...(error === undefined ? {} : { error: withoutStack(error) }),
    usage,
    at: new Date(at).toISOString(),
  };
  return at >= since ? [{ notification, at }] : [];
}

/** A stack names files of this machine, which a receiver cannot read. */
function withoutStack({ stack: _, ...error }: RunErrorInfo): RunErrorInfo {
  return error;
}

/** One line about a notification, for people. Not yet safe for a terminal. */
export function describeNotification({
  type,
  workflow,
  question,
  error,
  runId,
}: Pick<RunNotification, "type" | "workflow" | "runId" | "question" | "error">): string {
  switch (type) {
    case "waiting":
      return `${workflow} waits for an answer: ${question ?? ""}`;
    case "completed":
      return `${workflow} is completed (run ${runId})`;
    case "failed":
      return `${workflow} failed (run ${runId}): ${error?.message ?? "unknown reason"}`;
    case "cancelled":
      return `${workflow} was cancelled (run ${runId})`;
    case "test":
      return "This is a test notification.";
  }
}
