import { describeTooLong } from "../../view/index.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import { formatAgentQuestion } from "../output/format-agent-question.ts";
import { isAgentQuestionId, readPublishedQuestions } from "../prompts/published-questions.ts";
import { type AskingRun, openPermissionsOf } from "./answer-permission.ts";
import { answerLiveRun } from "./steer-commands.ts";

/** The questions of the agents of a run that a process executes; others wait for no answer. */
export function openQuestionsOf({ session, status }: Pick<AskingRun, "session" | "status">) {
  return status === "running" ? readPublishedQuestions(session.sessionDir) : [];
}

/**
 * The id of the agent's question that an answer is for: the one of this id, or of this step; without a name, the only thing
 * that the run asks. Undefined if there is none. The process that executes the run knows how earlier ones ended.
 *
 * @throws UsageError if several match
 */
export function findAgentQuestion(run: AskingRun, name: string | undefined): string | undefined {
  const { session, status, requests } = run;
  if (name !== undefined && isAgentQuestionId(name)) return status === "running" ? name : undefined;
  const open = openQuestionsOf(run);
  const meant = name === undefined ? open : open.filter(({ question }) => question.step === name);
  const isAlone = name !== undefined || openPermissionsOf(run).length === 0;
  if (meant.length === 0 || (meant.length === 1 && isAlone))
    return name === undefined && requests.length > 0 ? undefined : meant[0]?.id;
  const commands = meant.flatMap((one) => formatAgentQuestion(session.sessionId, one));
  throw new UsageError(
    [`An agent of the run "${session.sessionId}" asks, and it is not all that waits. Say which:`, ...commands].join(
      "\n",
    ),
  );
}

/** Answers an agent's question in a run that a process executes. A list of texts is for several options. @throws UsageError */
export async function answerAgentQuestion(
  environment: CliEnvironment,
  {
    id,
    question,
    answer = "",
    flags,
  }: {
    readonly id: string;
    readonly question: string;
    readonly answer: string | undefined;
    readonly flags: { readonly json?: boolean };
  },
): Promise<ExitCode> {
  if (answer.trim() === "") {
    throw new UsageError(`The answer is empty. Answer the agent: atomic runs answer ${id} "…" --request ${question}`);
  }
  const tooLong = describeTooLong(answer);
  if (tooLong !== undefined) throw new UsageError(tooLong);
  return await answerLiveRun(environment, id, { request: question, value: listIn(answer) ?? answer, flags });
}

/** The texts of a JSON list. Undefined for another text. */
function listIn(answer: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(answer);
    return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}
