import { AtomicError, type HumanRequest } from "../../contracts/index.ts";
import { UnknownRequestError } from "../../graph/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { formatRequest } from "../output/format-result.ts";
import { tableColumns } from "../output/terminal.ts";
import { giveAnswer } from "../prompts/give-answer.ts";
import { exactIdOf, parseAnswer } from "../prompts/parse-answer.ts";
import { isPermissionId, PERMISSION_ANSWERS, readPublished } from "../prompts/published-permissions.ts";
import { Workspace } from "../workspace.ts";
import { continueRun } from "./resume-command.ts";
import { answerLiveRun } from "./steer-commands.ts";

/** `atomic runs answer ID ANSWER`: answers a run's question and resumes the run. */
export async function answerCommand(
  environment: CliEnvironment,
  {
    prefix,
    answer,
    flags,
  }: {
    readonly prefix: string;
    readonly answer: string | undefined;
    readonly flags: RunFlags & { readonly request?: string };
  },
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(prefix);
  const { session, summary, status, missing } = await workspace.runs.report(id);
  const permission = flags.request ?? onlyPermissionOf(session, { status, requests: summary?.requests ?? [] });
  if (permission !== undefined && isPermissionId(permission)) {
    return await answerPermission(environment, { id, permission, answer, flags });
  }
  if (missing !== undefined) throw missing;
  const requests = summary?.requests ?? [];
  const name = flags.request;
  const columns = tableColumns(environment.stderr) - ERROR_INDENT;
  const request = findRequest(id, { requests, name, columns, startedAt: environment.startedAt });
  if (request === undefined) {
    const named = summary?.nodes.find(({ nodeId, taskId }) => [taskId, nodeId, `${taskId}#1`].includes(name ?? ""));
    if (named?.status === "completed") throw answeredElsewhere(id, name ?? named.nodeId);
    if (name === undefined || requests.length === 0) throw nothingAsked(id, status);
    throw new UnknownRequestError(
      name,
      requests.map(({ id }) => id),
    );
  }
  if (answer === undefined) throw whichAnswer(id, "The answer is missing.", { requests, columns });
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

/** The permission request that an answer without a name is for: the only thing that the run asks. */
function onlyPermissionOf(
  { sessionDir }: WorkflowSession,
  { status, requests }: { readonly status: string; readonly requests: readonly HumanRequest[] },
): string | undefined {
  if (status !== "running" || requests.length > 0) return undefined;
  const published = readPublished(sessionDir);
  return published.length === 1 ? published[0]?.id : undefined;
}

/** Answers a permission request of a run that a process executes. @throws UsageError */
async function answerPermission(
  environment: CliEnvironment,
  {
    id,
    permission,
    answer = "",
    flags,
  }: {
    readonly id: string;
    readonly permission: string;
    readonly answer: string | undefined;
    readonly flags: RunFlags;
  },
): Promise<ExitCode> {
  if (!PERMISSION_ANSWERS.some((known) => known === answer)) {
    const commands = PERMISSION_ANSWERS.map((known) => `  atomic runs answer ${id} ${known} --request ${permission}`);
    throw new UsageError(["A permission request takes one of these answers:", ...commands].join("\n"));
  }
  return await answerLiveRun(environment, id, { request: permission, value: answer, flags });
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
  }: AskedQuestions & { readonly name: string | undefined; readonly startedAt: number },
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
  if (request !== undefined && request.askedAt > startedAt)
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
