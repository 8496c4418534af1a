import type { HumanRequest } from "../../contracts/index.ts";
import { UnknownRequestError } from "../../graph/index.ts";
import type { WorkflowRuns } from "../../workflows/index.ts";
import { type RunWays, reachRun } from "../reach-run.ts";
import { exactIdOf } from "./parse-answer.ts";

/**
 * Answers a question of a run, in the process that executes it or by resuming the run here.
 *
 * @throws UnknownRequestError when the question is no longer open, and what `reachRun` throws
 */
export async function giveAnswer<T>(
  runs: Pick<WorkflowRuns, "report" | "isLive">,
  { runId, request }: { readonly runId: string; readonly request: HumanRequest },
  ways: Omit<RunWays<T>, "check">,
): Promise<T> {
  return await reachRun(runs, runId, {
    ...ways,
    async check() {
      const { summary } = await runs.report(runId);
      const requests = summary?.requests ?? [];
      // A restarted node asks under the same id; that is another question.
      if (requests.some(({ id, askedAt }) => id === request.id && askedAt === request.askedAt)) return;
      const openIds = requests.map(exactIdOf);
      throw new UnknownRequestError(exactIdOf(request), openIds);
    },
  });
}
