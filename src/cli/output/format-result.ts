import { type HumanRequest, LASTING_ERROR_CODES, type RunErrorInfo } from "../../contracts/index.ts";
import type { RunResult } from "../../graph/index.ts";
import { formatDuration, formatUsage, safeLine, safeText } from "../../view/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import type { Colors } from "../progress/progress-lines.ts";
import { answerPlaceholder, describeShape, requestOption } from "../prompts/parse-answer.ts";
import { type FailureStyle, formatFailure } from "./format-failure.ts";
import { quoteWord } from "./quote-word.ts";

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
        return formatRequest(runId, { ...request, question });
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

/** The options that raise a limit of the run. */
const BUDGET_OPTIONS: Readonly<Partial<Record<NonNullable<RunErrorInfo["bound"]>, string>>> = {
  maxTokens: "--max-tokens",
  maxCostUsd: "--max-cost",
};

/** How a run goes on that has failed. */
export function afterFailure({ code, bound }: RunErrorInfo, runId: string): readonly string[] {
  const otherwise = LASTING_ERROR_CODES.has(code)
    ? "Once that is corrected, go on where it stopped"
    : "Try again from there";
  // A resumed run keeps its budget unless the option raises it.
  const option = bound === undefined ? undefined : BUDGET_OPTIONS[bound];
  const raised = option === undefined ? "" : ` ${option} N`;
  return [`${CHANGES[code] ?? otherwise}: atomic runs resume ${runId}${raised}`];
}

/**
 * A question and the command that answers it. The question is named: the command may be given twice, and must not answer the
 * next one then.
 */
export function formatRequest(runId: string, request: HumanRequest): readonly string[] {
  const { question, options = [] } = request;
  const which = requestOption(request);
  const shape = options.length === 0 ? describeShape(request) : undefined;
  const answers =
    options.length === 0 ? [answerPlaceholder(request)] : options.map(({ label }) => quoteWord(safeText(label)));
  return [
    `Waiting for an answer: ${safeText(question)}`,
    ...(shape === undefined ? [] : [`  ${shape}`]),
    ...answers.map((answer) => `  atomic runs answer ${runId} ${answer} ${which}`),
  ];
}
