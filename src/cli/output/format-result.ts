import { type HumanRequest, LASTING_ERROR_CODES, type RunErrorInfo } from "../../contracts/index.ts";
import type { RunResult } from "../../graph/index.ts";
import {
  CONTINUATION,
  describeDue,
  formatDuration,
  formatUsage,
  formatUsageByAgent,
  markAfter,
  markLines,
  questionText,
  safeLine,
  safeText,
  wrapLine,
} from "../../view/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import { isUnstartedFork, shownStatusOf } from "../../workflows/run-kit.ts";
import type { Colors } from "../progress/progress-lines.ts";
import { answerPlaceholder, describeShape, isUnprintable, requestOption } from "../prompts/parse-answer.ts";
import { formatAllowFlag } from "./format-denied.ts";
import { type FailureStyle, formatFailure } from "./format-failure.ts";
import { quoteWord } from "./quote-word.ts";

/** Settings of {@link formatResult}. */
export interface ResultStyle extends FailureStyle {
  readonly colors: Colors;
  /** How long this process executed the run, without the time spent on questions, in milliseconds. @default unknown */
  readonly elapsedMs?: number;
  /** Whether earlier calls executed a part of the run, which the usage has and the time has not. @default false */
  readonly isResumed?: boolean;
  /** The width of the terminal. @default no limit, as in a pipe */
  readonly columns?: number;
  /** Whether the person has just seen the open questions; then each is cut to one line. @default false */
  readonly wasAsked?: boolean;
  /** What the failure needs in place of another attempt. */
  readonly remedy?: string;
}

/** The length of a question that the person has just seen, in characters. */
const MAX_SEEN_LENGTH = 80;

/** What is shown of the end of a run. */
export type ShownResult = Pick<RunResult, "runId" | "status" | "usage" | "usageByAgent" | "requests" | "errorInfo">;

/** Formats the end of a run: the status, the usage, the next steps and the session's folder. */
export function formatResult(result: ShownResult, session: WorkflowSession, style: ResultStyle): string {
  const { colors } = style;
  const { runId, status, usage, usageByAgent } = result;
  const { elapsedMs, isResumed = false } = style;
  const elapsed = elapsedMs === undefined ? "" : formatDuration(elapsedMs);
  const scoped = (text: string, scope: string): string => (isResumed && text !== "" ? `${text} ${scope}` : text);
  const times = [scoped(elapsed, "in this call"), scoped(formatUsage(usage), "in all")];
  const facts = [`run ${runId}`, ...times].filter((fact) => fact !== "").join("  ");
  // Only a pause suspends a run that has no question. The note of it in the session may come later.
  const isPaused = status === "suspended" && result.requests.length === 0 && elapsedMs !== undefined;
  const isUnstarted = isUnstartedFork(session, status);
  const shown = isPaused && !isUnstarted ? "paused" : shownStatusOf(session, status);
  const head = `${colorOf(status, colors)(shown)}  ${safeText(session.workflowName)}  ${colors.dim(facts)}`;
  const folder = colors.dim(`Session: ${safeText(session.sessionDir)}`);
  const agents = formatUsageByAgent(usageByAgent).map(colors.dim);
  const next = nextSteps(result, style);
  const start = isUnstarted ? [`Start it: atomic runs resume ${runId}`] : [];
  return [head, ...agents, ...(isUnstarted && result.requests.length === 0 ? [] : next), ...start, folder].join("\n");
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

function nextSteps(result: ShownResult, style: ResultStyle): readonly string[] {
  const { runId, status, requests, errorInfo } = result;
  switch (status) {
    case "completed":
      return [];
    case "suspended":
      if (requests.length === 0) return [`Resume it: atomic runs resume ${runId}`];
      return requests.flatMap((request) => {
        const question = style.wasAsked ? safeLine(request.question, MAX_SEEN_LENGTH) : request.question;
        return formatRequest(runId, { ...request, question }, style);
      });
    case "failed": {
      const failure = errorInfo ?? { code: "RUN_FAILED", message: "unknown reason" };
      const next = style.remedy === undefined ? afterFailure(failure, runId) : [safeText(style.remedy)];
      return [...formatFailure(failure, style), ...next];
    }
    case "cancelled":
      return [`Resume it: atomic runs resume ${runId}`];
  }
}

/** Formats the status of a run that another process has resumed. */
export function formatElsewhere(
  workflow: string,
  runId: string,
  status: RunResult["status"] | "running" | "interrupted",
): string {
  const canResume = status === "interrupted" || status === "cancelled";
  const next = canResume ? "Resume it: atomic runs resume" : "Look at it with: atomic runs show";
  return `${status}  ${safeText(workflow)}  run ${runId}  in another process. ${next} ${runId}`;
}

/** Errors that would recur: the change that the run needs before it is resumed. */
const CHANGES: Readonly<Record<string, string>> = {
  REPLAY_FAILED: "Replay it again, or resume it with an agent",
  REPLAY_PROMPT_CHANGED: "Replay it again, or resume it with an agent",
  REPLAY_TURN_INTERRUPTED: "Resume it with an agent",
  REPLAY_TURN_MISSING: "Replay it again, or resume it with an agent",
  GRAPH_LOOP_LIMIT: "Raise maxIterations or correct the loop's condition in the workflow's file, then resume it",
  RUN_LIMIT: "Raise the limit, then resume it",
  SCRIPT_LIMIT: "Raise the limit or correct the script, then resume it",
};

/** The options that raise a limit of the run. */
const BUDGET_OPTIONS: Readonly<Partial<Record<NonNullable<RunErrorInfo["bound"]>, string>>> = {
  maxTokens: "--max-tokens",
  maxCostUsd: "--max-cost",
};

/** The next step after a failed run. */
export function afterFailure({ code, bound, allowedBy }: RunErrorInfo, runId: string): readonly string[] {
  const flag = allowedBy === undefined ? undefined : formatAllowFlag(allowedBy);
  if (flag !== undefined) return [`Allow it and resume the run: atomic runs resume ${runId} ${flag}`];
  const otherwise = LASTING_ERROR_CODES.has(code) ? "Correct that, then resume it" : "Try again from there";
  // A resumed run keeps its budget unless the option raises it.
  const option = bound === undefined ? undefined : BUDGET_OPTIONS[bound];
  const raised = option === undefined ? "" : ` ${option} N`;
  // A resumed replay stays one, unless an agent is named.
  const agent = code.startsWith("REPLAY_") ? " --agent NAME" : "";
  return [`${CHANGES[code] ?? otherwise}: atomic runs resume ${runId}${raised}${agent}`];
}

/**
 * Formats a question and the commands that answer it. The commands name the question, so that a command given twice does
 * not answer the next one. Text from an agent or a workflow cannot imitate a line of Atomic: its lines are marked, and an
 * answer that would wrap is not part of a command.
 */
export function formatRequest(
  runId: string,
  request: HumanRequest,
  { columns = Number.POSITIVE_INFINITY }: { readonly columns?: number } = {},
): readonly string[] {
  const { options = [] } = request;
  const which = requestOption(request);
  const shape = options.length === 0 ? describeShape(request) : undefined;
  const command = `  atomic runs answer ${runId}`;
  // After `--` the parser does not take the answer for an option.
  const startWith = (label: string): string =>
    `${command} ${label.startsWith("-") ? `${which} -- ` : ""}${quoteWord(label)}`;
  const commandFor = (label: string): string => `${startWith(label)}${label.startsWith("-") ? "" : ` ${which}`}`;
  const isLong = (label: string): boolean => /[\n\t]/.test(label) || Bun.stringWidth(startWith(label)) >= columns;
  const labels = options.filter((option) => !isUnprintable(option)).map(({ label }) => label);
  const numbered = options.flatMap((option, index) =>
    isUnprintable(option) ? [{ ...option, number: index + 1 }] : [],
  );
  const long = labels.filter(isLong);
  const short = labels.filter((label) => !isLong(label)).map(commandFor);
  const isOpen = options.length === 0 || long.length > 0;
  return [
    ...markAfter("Waiting for an answer: ", withoutTabs(safeText(questionText(request))), columns),
    ...(shape === undefined ? [] : wrapLine(shape, { first: "  ", next: CONTINUATION, columns })),
    ...numbered.flatMap(({ label, number }) => [
      `  The answer ${number} is:`,
      ...markLines(withoutTabs(safeText(label)), columns),
      commandFor(String(number)),
    ]),
    ...long.flatMap((label) => ["  One answer is:", ...markLines(withoutTabs(label), columns)]),
    // Never cut or wrapped: people copy it.
    ...short,
    ...(isOpen ? [`${command} ${answerPlaceholder(request)} ${which}`] : []),
    ...(request.autoApproveAt === undefined ? [] : [`  ${describeDue(request.autoApproveAt)}`]),
  ];
}

/** A terminal decides how wide a tab is. */
function withoutTabs(text: string): string {
  return text.replaceAll("\t", "    ");
}
