import { setTimeout as sleep } from "node:timers/promises";
import { AtomicError, type HumanRequest } from "../../contracts/index.ts";
import type { RunResult } from "../../graph/index.ts";
import type { ExecuteOptions, RunReport } from "../../workflows/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { formatError } from "../output/format-error.ts";
import type { RunReporter } from "../progress/run-reporter.ts";
import type { Workspace } from "../workspace.ts";
import { askQuestion } from "./ask-question.ts";
import { giveAnswer } from "./give-answer.ts";
import { exactIdOf, parseAnswer } from "./parse-answer.ts";

/** How often to check whether another process has answered the question on the screen, in milliseconds. */
const POLL_MS = 300;

/** Executes work while no other run works in the same working tree. */
export type HoldTree = <T>(work: () => Promise<T>) => Promise<T>;

/** A run whose questions the person at the terminal answers. */
export interface AskedRun {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly reporter: RunReporter;
  readonly options: ExecuteOptions;
  readonly hold: HoldTree;
}

/** How the run ended for this process: with its own result, or resumed by another process. */
export type AskedEnd =
  | { readonly type: "ended"; readonly result: RunResult; readonly wasAsked: boolean }
  | { readonly type: "elsewhere"; readonly runId: string; readonly status: RunReport["status"] };

/**
 * Asks the person at the terminal the run's questions one by one. Each answer resumes the run before the next question, so
 * leaving that one loses no answer.
 */
export async function answerQuestions(asked: AskedRun, first: RunResult): Promise<AskedEnd> {
  let result = first;
  while (result.status === "suspended") {
    const [request] = result.requests;
    // Without a question the run is paused.
    if (request === undefined) break;
    const typed = await askWhileOpen(asked, result.runId, request);
    if (typed.type === "answer") {
      const next = await give(asked, { runId: result.runId, request }, typed.text);
      if (next !== undefined) {
        result = next;
        continue;
      }
    } else if (typed.type !== "withdrawn") {
      return await leaveQuestion(asked, result);
    }
    const report = await whenStill(asked, result.runId);
    const requests = report?.summary?.requests ?? [];
    if (report?.status !== "suspended" || requests.length === 0) {
      return { type: "elsewhere", runId: result.runId, status: report?.status ?? "running" };
    }
    result = { ...result, requests };
  }
  return { type: "ended", result, wasAsked: false };
}

/** The end of a call whose person leaves a question: another process may have answered, ended or resumed the run. */
async function leaveQuestion({ workspace }: AskedRun, result: RunResult): Promise<AskedEnd> {
  const { runId } = result;
  const { status, summary } = await workspace.runs.report(runId);
  if (status !== "suspended") return { type: "elsewhere", runId, status };
  return { type: "ended", result: { ...result, requests: summary?.requests ?? result.requests }, wasAsked: true };
}

/** A question, and the run that asks it. */
interface AskedRequest {
  readonly runId: string;
  readonly request: HumanRequest;
}

/** Errors that another answer avoids. */
const INVALID_ANSWER: ReadonlySet<string> = new Set(["ANSWER_INVALID", "ANSWER_UNUSABLE", "STATE_UNSERIALIZABLE"]);

/** Errors of an answer that came too late. */
const TOO_LATE: ReadonlySet<string> = new Set(["REQUEST_UNKNOWN", "RUN_FINISHED"]);

/** Answers a question; undefined when this process has not resumed the run, after a note that explains why. */
async function give(
  { workspace, reporter, options, hold }: AskedRun,
  about: AskedRequest,
  text: string,
): Promise<RunResult | undefined> {
  const { runId, request } = about;
  const name = exactIdOf(request);
  try {
    const value = parseAnswer(request, text);
    const reason = findWithdrawal(await workspace.runs.report(runId), request);
    if (reason !== undefined) {
      reporter.note(`Your answer was not taken: ${reason}`);
      return undefined;
    }
    const control = workspace.runs.control(runId, { signal: options.signal });
    return await giveAnswer<RunResult | undefined>(workspace.runs, about, {
      signal: options.signal,
      toLiveRun: () => control.answer(name, value).then(() => undefined),
      async resume() {
        options.signal.throwIfAborted();
        return await hold(() => workspace.runs.resume(runId, { [name]: value }, options));
      },
    });
  } catch (error) {
    if (isCancel(error, options.signal)) return undefined;
    if (!(error instanceof AtomicError)) throw error;
    if (INVALID_ANSWER.has(error.code)) reporter.note(formatError(error));
    else if (TOO_LATE.has(error.code)) reporter.note("Your answer was not taken: the question was answered elsewhere.");
    else throw error;
    return undefined;
  }
}

/** Whether an error comes from the abort of a signal: other errors count also after Ctrl+C. */
function isCancel(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}

/** Shows a question until it is answered here or closed elsewhere. */
async function askWhileOpen(asked: AskedRun, runId: string, request: HumanRequest): ReturnType<typeof askQuestion> {
  const { environment, reporter, options } = asked;
  const withdrawal = new AbortController();
  const stop = new AbortController();
  const watching = watch(asked, { runId, request, signal: stop.signal }).finally(() => withdrawal.abort());
  // Errors are thrown below, after the prompt has closed.
  watching.catch(() => undefined);
  const resume = reporter.pause();
  try {
    const { signal } = options;
    const typed = await askQuestion(environment, request, AbortSignal.any([signal, withdrawal.signal]));
    if (signal.aborted) return { type: "cancel" };
    if (typed.type === "withdrawn") reporter.note(`The question is withdrawn: ${await watching}`);
    return typed;
  } finally {
    stop.abort();
    resume();
  }
}

/** Resolves with the reason when a question is no longer open. Reads the journal only when the session has changed. */
async function watch(
  { workspace }: AskedRun,
  { runId, request, signal }: AskedRequest & { readonly signal: AbortSignal },
): Promise<string> {
  let seen: string | undefined;
  for (;;) {
    const { lastUpdated } = await workspace.store.load(runId);
    if (lastUpdated !== seen || (await workspace.runs.isLive(runId))) {
      const reason = findWithdrawal(await workspace.runs.report(runId), request);
      if (reason !== undefined) return reason;
      seen = lastUpdated;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Why a question is no longer open; undefined when it is. */
function findWithdrawal({ status, summary }: RunReport, { id, askedAt }: HumanRequest): string | undefined {
  if (status === "cancelled") return "the run was cancelled elsewhere.";
  const open = summary?.requests.find((request) => request.id === id);
  if (open === undefined) return "it was answered elsewhere.";
  return open.askedAt === askedAt ? undefined : "its step was restarted elsewhere.";
}

/** The report of a run that no process executes any more; undefined when the person stops waiting. */
async function whenStill(
  { workspace, reporter, options: { signal } }: AskedRun,
  runId: string,
): Promise<RunReport | undefined> {
  for (let isNoted = false; ; isNoted = true) {
    if (!(await workspace.runs.isLive(runId))) return await workspace.runs.report(runId);
    if (!isNoted) reporter.note("Another process has resumed the run; its next question is shown here.");
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
  }
}
