import { type HumanRequest, LASTING_ERROR_CODES, type RunErrorInfo } from "../contracts/index.ts";
import type { RunResult } from "../graph/index.ts";
import type { WorkflowSession } from "../workflows/index.ts";
import { type FailureStyle, formatFailure } from "./format-failure.ts";
import { formatDuration, formatUsage } from "./format-text.ts";
import type { Colors } from "./progress/progress-lines.ts";
import { quoteWord } from "./quote-word.ts";
import { safeLine, safeText } from "./safe-text.ts";

/** What a result is shown with. */
export interface ResultStyle extends FailureStyle {
  readonly colors: Colors;
  /** How long the run was executed by this process, without the time it waited for a person. */
  readonly elapsedMs: number;
  /** Whether a person has just seen the open questions: one line of each is enough then. @default false */
  readonly wasAsked?: boolean;
}

/** So much of a question that a person has just seen is shown again, in characters. */
const MAX_SEEN_LENGTH = 80;

/** How a run ended, for a person: the outcome, where it lies, and what can be done next. */
export function formatResult(result: RunResult, session: WorkflowSession, style: ResultStyle): string {
  const { colors } = style;
  const { runId, status, usage } = result;
  const facts = [`run ${runId}`, formatDuration(style.elapsedMs), formatUsage(usage)]
    .filter((fact) => fact !== "")
    .join("  ");
  const head = `${colorOf(status, colors)(status)}  ${safeText(session.workflowName)}  ${colors.dim(facts)}`;
  return [head, ...nextSteps(result, style), colors.dim(`Session: ${safeText(session.sessionDir)}`)].join("\n");
}

function colorOf(status: RunResult["status"], colors: Colors): (text: string) => string {
  switch (status) {
    case "completed":
      return colors.green;
    case "failed":
      return colors.red;
    case "suspended":
    case "cancelled":
      return colors.yellow;
  }
}

function nextSteps(result: RunResult, style: ResultStyle): readonly string[] {
  const { runId, status, requests, errorInfo } = result;
  switch (status) {
    case "completed":
      return [];
    case "suspended":
      if (requests.length === 0) return [`Paused. Go on with it: atomic runs resume ${runId}`];
      return requests.flatMap((request) => {
        const question = style.wasAsked ? safeLine(request.question, MAX_SEEN_LENGTH) : request.question;
        return formatRequest(runId, { ...request, question }, requests.length > 1);
      });
    case "failed": {
      const failure = errorInfo ?? { code: "UNKNOWN", message: "unknown reason" };
      return [...formatFailure(failure, style), ...afterFailure(failure, runId)];
    }
    case "cancelled":
      return [`Go on where it stopped: atomic runs resume ${runId}`];
  }
}

/** What is said of a run that went on in another process, and ended or waits there. */
export function formatElsewhere(
  workflow: string,
  runId: string,
  status: RunResult["status"] | "running" | "interrupted",
): string {
  const next = status === "interrupted" ? "Go on with it: atomic runs resume" : "Look at it with: atomic runs show";
  return `${status}  ${safeText(workflow)}  run ${runId}  in another process. ${next} ${runId}`;
}

/** Errors that would come again: what has to be changed before the run can go on. */
const CHANGES: Readonly<Record<string, string>> = {
  GRAPH_LOOP_LIMIT: "Raise maxIterations, or change what ends the loop, in the workflow's file. Then go on",
  RUN_LIMIT: "With more room, go on where it stopped",
};

/** How a run goes on that has failed. */
export function afterFailure({ code }: RunErrorInfo, runId: string): readonly string[] {
  const otherwise = LASTING_ERROR_CODES.has(code)
    ? "Once that is corrected, go on where it stopped"
    : "Try again from there";
  return [`${CHANGES[code] ?? otherwise}: atomic runs resume ${runId}`];
}

/** A question and the command that answers it. */
export function formatRequest(runId: string, request: HumanRequest, isOneOfMany: boolean): readonly string[] {
  const options = (request.options ?? []).map(({ label }) => safeText(label));
  const which = isOneOfMany ? ` --request ${quoteWord(safeText(request.id))}` : "";
  const question = `Waiting for an answer: ${safeText(request.question)}`;
  if (options.length === 0) {
    const shape = describeShape(request);
    return [question, ...shape, `  atomic runs answer ${runId} "…"${which}`];
  }
  return [question, ...options.map((option) => `  atomic runs answer ${runId} ${quoteWord(option)}${which}`)];
}

/** What an answer must look like, where it is more than text. */
function describeShape({ schema }: HumanRequest): readonly string[] {
  if (schema === undefined || schema.type === "string") return [];
  const { $schema: _dialect, ...shape } = schema;
  return [`  The answer is JSON of this shape: ${safeText(JSON.stringify(shape))}`];
}
