import { AtomicError, type HumanRequest } from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { formatRequest } from "../format-result.ts";
import { exactIdOf, parseAnswer } from "../parse-answer.ts";
import type { RunFlags } from "../run-flags.ts";
import { UsageError } from "../usage-error.ts";
import { Workspace } from "../workspace.ts";
import { continueRun } from "./resume-command.ts";
import { answerLiveRun } from "./steer-commands.ts";

/** `atomic runs answer ID ANSWER`: answers a run's question and goes on with the run. */
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
  if (missing !== undefined) throw missing;
  const requests = summary?.requests ?? [];
  const [first] = requests;
  const named = summary?.nodes.find(({ nodeId, taskId }) => taskId === flags.request || nodeId === flags.request);
  const isOpen = requests.some(({ id, nodeId }) => id === flags.request || nodeId === flags.request);
  if (named?.status === "completed" && !isOpen) throw answeredElsewhere(id, named.nodeId);
  if (first === undefined)
    throw new UsageError(
      `The run "${id}" has no pending question: it is ${status}. Look at it with: atomic runs show ${id}`,
    );
  if (answer === undefined) throw answerMissing(id, requests);
  if (flags.request === undefined && requests.length > 1) {
    const ids = requests.map((request) => request.id).join(", ");
    throw new UsageError(`The run "${id}" asks ${requests.length} things (${ids}). Say which one with --request.`);
  }
  const request =
    flags.request === undefined
      ? first
      : requests.find(({ id, nodeId }) => id === flags.request || nodeId === flags.request);
  // Were it answered at this moment, the answer must not go to the next question of the same node.
  const requestId = request === undefined ? (flags.request ?? first.id) : exactIdOf(request);
  const value = request === undefined ? answer : parseAnswer(request, answer);
  try {
    if (await workspace.runs.isLive(id))
      return await answerLiveRun(environment, id, { request: requestId, value, flags });
    return await continueRun({ environment, workspace, session, flags, answers: { [requestId]: value } });
  } catch (error) {
    // It was open a moment ago.
    throw request !== undefined && isAnswered(error) ? answeredElsewhere(id, request.id) : error;
  }
}

/** Who wants to know what the question was gets it, with the calls that answer it. */
function answerMissing(id: string, requests: readonly HumanRequest[]): UsageError {
  const lines = requests.flatMap((request) => formatRequest(id, request, requests.length > 1));
  return new UsageError(["The answer is missing.", ...lines].join("\n"));
}

/** Whether a question that was open is not any more. */
function isAnswered(error: unknown): boolean {
  return error instanceof AtomicError && (error.code === "REQUEST_UNKNOWN" || error.code === "RUN_FINISHED");
}

function answeredElsewhere(runId: string, request: string): UsageError {
  return new UsageError(
    `The question "${request}" of the run "${runId}" has been answered already. Look at the run with: atomic runs show ${runId}`,
  );
}
