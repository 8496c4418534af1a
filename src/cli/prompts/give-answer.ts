import { setTimeout as sleep } from "node:timers/promises";
import type { HumanRequest } from "../../contracts/index.ts";
import { RunLockedError, RunNotExecutedError, UnknownRequestError } from "../../graph/index.ts";
import type { WorkflowRuns } from "../../workflows/index.ts";
import { exactIdOf } from "./parse-answer.ts";

/** How long to wait before a run that has changed hands is looked at again. */
const RETRY_MS = 50;

/** What takes an answer, with a result of each way. */
export interface AnswerTakers<T> {
  /** Hands it to the process that executes the run. */
  readonly toLiveRun: () => Promise<T>;
  /** Goes on with the run in this process. */
  readonly resume: () => Promise<T>;
}

/**
 * Has a run take an answer, whoever executes it. A run may change hands at any moment: then it is tried again, until the
 * answer was taken or refused.
 *
 * @throws UnknownRequestError when the question is no longer open, and what the takers throw
 */
export async function giveAnswer<T>(
  runs: Pick<WorkflowRuns, "report" | "isLive">,
  { runId, request }: { readonly runId: string; readonly request: HumanRequest },
  { toLiveRun, resume }: AnswerTakers<T>,
): Promise<T> {
  for (;;) {
    const { summary } = await runs.report(runId);
    const requests = summary?.requests ?? [];
    // A node that begins again asks under the same id; that is another question.
    if (!requests.some(({ id, askedAt }) => id === request.id && askedAt === request.askedAt)) {
      throw new UnknownRequestError(
        exactIdOf(request),
        requests.map(({ id }) => id),
      );
    }
    try {
      return (await runs.isLive(runId)) ? await toLiveRun() : await resume();
    } catch (error) {
      if (!(error instanceof RunLockedError || error instanceof RunNotExecutedError)) throw error;
    }
    await sleep(RETRY_MS);
  }
}
