import { AtomicError, type HumanRequest } from "../../contracts/index.ts";
import { UnknownRequestError } from "../../graph/index.ts";
import { describeTooLong } from "../../view/index.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { formatPublished } from "../output/format-permission.ts";
import { formatRequest } from "../output/format-result.ts";
import { tableColumns } from "../output/terminal.ts";
import { giveAnswer } from "../prompts/give-answer.ts";
import { exactIdOf, parseAnswer } from "../prompts/parse-answer.ts";
import { nameOfPermission, type PublishedPermission } from "../prompts/published-permissions.ts";
import { Workspace } from "../workspace.ts";
import { answerAgentQuestion, findAgentQuestion, openQuestionsOf } from "./answer-agent-question.ts";
import { type AskingRun, answerPermission, findPermission, openPermissionsOf } from "./answer-permission.ts";
import { type DetachFlags, detachCommand } from "./detach-command.ts";
import { continueRun } from "./resume-command.ts";
import { answerLiveRun } from "./steer-commands.ts";
import { withRunId } from "./with-run-id.ts";

/** What an answer is called with. */
export interface AnswerCall {
  readonly prefix: string;
  readonly answer: string | undefined;
  readonly flags: RunFlags & DetachFlags & { readonly request?: string };
}

/** `atomic runs answer ID ANSWER`: answers a run's question and resumes the run. */
export async function answerCommand(environment: CliEnvironment, call: AnswerCall): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(call.prefix);
  return await withRunId(id, () => answerRun(environment, workspace, { ...call, id }));
}

async function answerRun(
  environment: CliEnvironment,
  workspace: Workspace,
  { id, answer, flags }: AnswerCall & { readonly id: string },
): Promise<ExitCode> {
  const { session, summary, status, missing } = await workspace.runs.report(id);
  const { requests = [], nodes: visits = [] } = summary ?? {};
  const name = flags.request;
  const columns = tableColumns(environment.stderr) - ERROR_INDENT;
  const { startedAt } = environment;
  const request = findRequest(id, { requests, name, columns, startedAt, now: Date.now() });
  const run = { session, status, requests, visits };
  const permission = request === undefined ? await findPermission(run, name) : undefined;
  if (permission !== undefined) return await answerPermission(environment, { id, permission, answer, flags });
  const question = request === undefined ? findAgentQuestion(run, name) : undefined;
  if (question !== undefined) return await answerAgentQuestion(environment, { id, question, answer, flags });
  if (missing !== undefined) throw missing;
  if (flags.detach === true) return await detachCommand(environment, { run: id, isJson: flags.json ?? false });
  if (request === undefined) throw nothingToAnswer(id, { name, ...run });
  if (answer === undefined) throw whichAnswer(id, "The answer is missing.", { requests, columns });
  const tooLong = describeTooLong(answer);
  if (tooLong !== undefined) throw new UsageError(tooLong);
  const value = parseAnswer(request, answer);
  // If another process answers it now, this answer must not go to the node's next question.
  const exactId = exactIdOf(request);
  const about = { environment, workspace, session, flags };
  try {
    return await giveAnswer(
      workspace.runs,
      { runId: id, request },
      {
        toLiveRun: () => answerLiveRun(environment, id, { request: exactId, value, flags }),
        resume: (attempt) => continueRun({ ...about, answers: { [exactId]: value }, isRepeated: attempt > 1 }),
      },
    );
  } catch (error) {
    // The question was open a moment ago.
    throw isAnswered(error) ? answeredElsewhere(id, request.id) : error;
  }
}

/** Why there is nothing that an answer could be for. */
function nothingToAnswer(id: string, run: AskingRun & { readonly name: string | undefined }): AtomicError {
  const { name, requests, status, visits } = run;
  const named = visits.find(({ nodeId, taskId }) => [taskId, nodeId, `${taskId}#1`].includes(name ?? ""));
  if (named?.status === "completed") return answeredElsewhere(id, name ?? named.nodeId);
  const permissions = openPermissionsOf(run);
  if (name === undefined && permissions.length > 1) return whichPermission(id, permissions);
  const asked = openQuestionsOf(run).map((question) => question.id);
  const open = [...requests.map(exactIdOf), ...permissions.map(nameOfPermission), ...asked];
  if (name === undefined || open.length === 0) return nothingAsked(id, status);
  return new UnknownRequestError(name, open);
}

function whichPermission(id: string, permissions: readonly PublishedPermission[]): UsageError {
  const commands = permissions.flatMap((one) => formatPublished(id, one, Number.POSITIVE_INFINITY));
  return new UsageError(
    [`The run "${id}" waits for ${permissions.length} permissions. Say which one:`, ...commands].join("\n"),
  );
}

/** The columns before each line of an error. */
const ERROR_INDENT = 7;

interface AskedQuestions {
  readonly requests: readonly HumanRequest[];
  /** The width of the error's lines. */
  readonly columns: number;
}

/**
 * The open question that an answer is for; undefined if there is none. Without its exact name, it must have been open when
 * the command was called: nobody has read a question that came later.
 *
 * @throws UsageError if several questions match, or one that came later
 */
function findRequest(
  runId: string,
  {
    requests,
    name,
    columns,
    startedAt,
    now,
  }: AskedQuestions & { readonly name: string | undefined; readonly startedAt: number; readonly now: number },
): HumanRequest | undefined {
  const exact = requests.find((request) => exactIdOf(request) === name);
  if (exact !== undefined) return exact;
  const ofId = requests.filter(({ id }) => id === name);
  const ofNode = requests.filter(({ nodeId }) => name === undefined || nodeId === name);
  const meant = ofId.length > 0 ? ofId : ofNode;
  const [request] = meant;
  const about = { requests: meant, columns };
  if (meant.length > 1)
    throw whichAnswer(runId, `The run "${runId}" asks ${meant.length} things. Say which one:`, about);
  // A question of the future was asked before somebody set the clock back.
  if (request !== undefined && request.askedAt > startedAt && request.askedAt <= now)
    throw whichAnswer(runId, "The question was asked after this command was called. If it is meant, name it:", about);
  return request;
}

/** An error with the questions and the commands that answer them. */
function whichAnswer(id: string, problem: string, { requests, columns }: AskedQuestions): UsageError {
  return new UsageError(
    [problem, ...requests.flatMap((request) => formatRequest(id, request, { columns }))].join("\n"),
  );
}

function nothingAsked(id: string, status: string): UsageError {
  return new UsageError(
    `The run "${id}" has no pending question: it is ${status}. Look at it with: atomic runs show ${id}`,
  );
}

/** Whether the question is no longer open. */
function isAnswered(error: unknown): boolean {
  return error instanceof AtomicError && (error.code === "REQUEST_UNKNOWN" || error.code === "RUN_FINISHED");
}

function answeredElsewhere(runId: string, request: string): UsageError {
  return new UsageError(
    `The question "${request}" of the run "${runId}" has been answered already. Look at the run with: atomic runs show ${runId}`,
  );
}
