import { setTimeout as sleep } from "node:timers/promises";
import type { HumanRequest } from "../contracts/index.ts";
import {
  InvalidAnswerError,
  RunFinishedError,
  RunLockedError,
  type RunResult,
  UnknownRequestError,
} from "../graph/index.ts";
import type { ExecuteOptions, RunReport } from "../workflows/index.ts";
import { askQuestion } from "./ask-question.ts";
import type { CliEnvironment } from "./environment.ts";
import { formatError } from "./format-error.ts";
import { exactIdOf, parseAnswer } from "./parse-answer.ts";
import type { RunReporter } from "./progress/run-reporter.ts";
import type { Workspace } from "./workspace.ts";

/** How often a question that is on the screen is compared with the run: another process may have answered it. */
const POLL_MS = 300;

/** A run whose questions are put to the person at the terminal. */
export interface AskedRun {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly reporter: RunReporter;
  readonly options: ExecuteOptions;
}

/** How this process's part in a run ended: with a result of its own, or another process has gone on with the run. */
export type AskedEnd =
  | { readonly type: "ended"; readonly result: RunResult; readonly wasAsked: boolean }
  | { readonly type: "elsewhere"; readonly runId: string; readonly status: RunReport["status"] };

/** Where somebody sits at the terminal, questions are put to them at once, and the run goes on with their answers. */
export async function answerQuestions(asked: AskedRun, first: RunResult): Promise<AskedEnd> {
  const { workspace, reporter, options } = asked;
  const answers = new Map<string, unknown>();
  let result = first;
  // A run without a question is paused: somebody wants it to wait.
  while (result.requests.length > 0) {
    const resume = reporter.pause();
    const end = await collectAnswers(asked, result, answers).finally(resume);
    if (end === "left") return { type: "ended", result, wasAsked: true };
    if (end === "answered") {
      const given = result.requests.map((request) => [exactIdOf(request), answers.get(keyOf(request))] as const);
      try {
        result = await workspace.runs.resume(result.runId, Object.fromEntries(given), options);
        continue;
      } catch (error) {
        if (!isTakenOver(error)) throw error;
        reporter.note("Your answer was not taken: another process has gone on with the run.");
      }
    }
    const report = await whenStill(asked, result.runId);
    const requests = report?.summary?.requests ?? [];
    if (report?.status !== "suspended" || requests.length === 0) {
      return { type: "elsewhere", runId: result.runId, status: report?.status ?? "running" };
    }
    result = { ...result, status: "suspended", requests };
  }
  return { type: "ended", result, wasAsked: false };
}

/** A node that begins again asks under the same id; that is another question. */
function keyOf({ id, askedAt }: HumanRequest): string {
  return `${id} ${askedAt}`;
}

/** Whether an answer came too late. */
function isTakenOver(error: unknown): boolean {
  return error instanceof UnknownRequestError || error instanceof RunFinishedError || error instanceof RunLockedError;
}

/** Adds to `answers`; what was answered before is not asked again. `withdrawn`: a question is not open any more. */
async function collectAnswers(
  asked: AskedRun,
  result: RunResult,
  answers: Map<string, unknown>,
): Promise<"answered" | "left" | "withdrawn"> {
  for (const request of result.requests) {
    if (answers.has(keyOf(request))) continue;
    const end = await askUntilValid(asked, result, request);
    if (end === "left" || end === "withdrawn") return end;
    answers.set(keyOf(request), end.answer);
  }
  return "answered";
}

/** The person can correct an answer at once, or leave the question for later. */
async function askUntilValid(
  asked: AskedRun,
  result: RunResult,
  request: HumanRequest,
): Promise<{ readonly answer: unknown } | "left" | "withdrawn"> {
  const { environment, workspace, options } = asked;
  for (;;) {
    const typed = await askWhileOpen(asked, result, request);
    if (typed.type === "withdrawn") return "withdrawn";
    if (typed.type !== "answer") return "left";
    const answer = parseAnswer(request, typed.text);
    try {
      await workspace.runs.checkAnswers(result.runId, { [exactIdOf(request)]: answer }, options);
      const reason = findWithdrawal(await workspace.runs.report(result.runId), result, request);
      if (reason === undefined) return { answer };
      environment.stderr.write(`Your answer was not taken: ${reason}\n`);
      return "withdrawn";
    } catch (error) {
      if (error instanceof UnknownRequestError) {
        environment.stderr.write("Your answer was not taken: the question was answered elsewhere.\n");
        return "withdrawn";
      }
      if (!(error instanceof InvalidAnswerError)) throw error;
      environment.stderr.write(`${formatError(error)}\n`);
    }
  }
}

/** Shows a question, and takes it away as soon as the run does not ask it any more. */
async function askWhileOpen(asked: AskedRun, result: RunResult, request: HumanRequest): ReturnType<typeof askQuestion> {
  const withdrawal = new AbortController();
  const stop = new AbortController();
  const watching = watch(asked, { result, request, signal: stop.signal }).finally(() => withdrawal.abort());
  // What it fails with is thrown below, when the prompt is gone.
  watching.catch(() => undefined);
  try {
    const typed = await askQuestion(asked.environment, request, withdrawal.signal);
    if (typed.type === "withdrawn") asked.environment.stderr.write(`The question is withdrawn: ${await watching}\n`);
    return typed;
  } finally {
    stop.abort();
  }
}

interface Watched {
  readonly result: RunResult;
  readonly request: HumanRequest;
  readonly signal: AbortSignal;
}

/** Resolves when a question is no longer open, with why. Reads the journal only when the run's session has changed. */
async function watch({ workspace }: AskedRun, { result, request, signal }: Watched): Promise<string> {
  let seen: string | undefined;
  for (;;) {
    const { lastUpdated } = await workspace.store.load(result.runId);
    if (lastUpdated !== seen || (await workspace.runs.isLive(result.runId))) {
      const reason = findWithdrawal(await workspace.runs.report(result.runId), result, request);
      if (reason !== undefined) return reason;
      seen = lastUpdated;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Why a question is not open any more; nothing when it is. */
function findWithdrawal(
  { status, summary }: RunReport,
  result: RunResult,
  { id, askedAt }: HumanRequest,
): string | undefined {
  if (status === "cancelled" && result.status !== "cancelled") return "the run was cancelled elsewhere.";
  const open = summary?.requests.find((request) => request.id === id);
  if (open === undefined) return "it was answered elsewhere.";
  return open.askedAt === askedAt ? undefined : "its step was begun again elsewhere.";
}

/** Where a run stands when no process executes it; nothing when the person does not wait for that. */
async function whenStill(
  { workspace, reporter, options: { signal } }: AskedRun,
  runId: string,
): Promise<RunReport | undefined> {
  for (let isTold = false; ; isTold = true) {
    if (!(await workspace.runs.isLive(runId))) return await workspace.runs.report(runId);
    if (!isTold) reporter.note("Another process goes on with the run; its next question is shown here.");
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
  }
}
