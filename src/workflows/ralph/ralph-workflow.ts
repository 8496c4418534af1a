import { z } from "zod";
import { type CompiledGraph, graph, InvalidOptionsError, taskLoopNode } from "../../graph/index.ts";
import { describeIssues } from "../session-store/describe-issues.ts";
import { createDebugSteps, hasFailedTasks } from "./debug-nodes.ts";
import { MAX_ATTEMPTS, MAX_DEBUG_REPORTS, MAX_RALPH_ITERATIONS, MAX_REVIEW_ITERATIONS } from "./ralph-metadata.ts";
import {
  checkBranch,
  createConcludeNode,
  createFixesNode,
  createImplementNode,
  createPullRequest,
  createReviewNode,
  planTasks,
  prepare,
  prepareBranch,
  RALPH_NODE_IDS,
  readGoal,
  verifyWork,
  wantsReview,
  writeTasks,
} from "./ralph-nodes.ts";
import { RalphState } from "./ralph-state.ts";
import { summarizeRalph } from "./summarize-ralph.ts";

const RalphConfigSchema = z.strictObject({
  /** How many tasks may be started before the work is verified as a whole; then the run fails. @default 500 */
  maxIterations: z.int().min(1).optional(),
  /** How often a task is started before it counts as failing. @default 3 */
  maxAttempts: z.int().min(1).optional(),
  /** How often the work is reviewed, at most; the findings of all but the last review are corrected. @default 2 */
  maxReviews: z.int().min(1).optional(),
  /** Of how many failed tasks in a round the agent `debugger` looks for the cause; 0 for none. @default 3 */
  maxDebugReports: z.int().min(0).optional(),
  /** The vendors' agents of the workers, in turn, and of the reviewers. @default the run's agent alone */
  agents: z.array(z.string().min(1)).optional(),
  /** What happens when an agent reaches a limit; see `subagentNode`. @default "switch" with several agents, else "wait" */
  onLimit: z.enum(["wait", "stop", "switch"]).optional(),
  /** Whether runs are kept where there is a checkpointer; see `compile()`. */
  checkpointing: z.boolean().optional(),
});

/** Settings of {@link createRalphWorkflow}. */
export type RalphConfig = Readonly<z.input<typeof RalphConfigSchema>>;

/**
 * Ralph: a goal becomes a list of tasks, workers implement them, and a command decides whether each task and the whole is
 * done. Then the changes are reviewed; confirmed findings, and what the command finds, become further tasks.
 *
 * Needs the services `clients`, `agents` (for the worker), `tasks` and `sessionDirectory`; `worktrees` and `git` for several
 * workers, and `git` for the review.
 *
 * ```ts
 * const result = await createRalphWorkflow().run({ prompt: "Add tests", verifyCommand: "npm test" }, { services });
 * ```
 *
 * @throws InvalidOptionsError
 */
export function createRalphWorkflow(config: RalphConfig = {}): CompiledGraph<RalphState, string> {
  const settings = parseConfig(config);
  const { maxIterations = MAX_RALPH_ITERATIONS, maxAttempts = MAX_ATTEMPTS, agents = [], checkpointing } = settings;
  const { maxReviews = MAX_REVIEW_ITERATIONS, maxDebugReports = MAX_DEBUG_REPORTS } = settings;
  const tasks = taskLoopNode<RalphState>({
    id: RALPH_NODE_IDS.tasks,
    tasksPath: ({ tasksPath }) => tasksPath,
    taskNodes: createImplementNode(agents, settings.onLimit),
    maxConcurrency: ({ workerCount }) => workerCount,
    maxIterations,
    maxAttempts,
    onUnfinished: "continue",
  });
  const round = graph(RalphState)
    .start(tasks)
    .if(({ allTasksComplete }) => allTasksComplete, { id: "all-done" })
    .then(checkBranch)
    .if(({ verifyCommand }) => verifyCommand !== "", { id: "has-command" })
    .then(verifyWork)
    .endif()
    .if((state) => wantsReview(state, maxReviews), { id: "wants-review" })
    .then(createReviewNode({ agents: [...agents] }))
    .then(createFixesNode(maxReviews))
    .endif()
    .endif()
    .if((state) => maxDebugReports > 0 && hasFailedTasks(state), { id: "has-failures" })
    .then(createDebugSteps(maxDebugReports, agents))
    .endif()
    .then(createConcludeNode(maxIterations));
  return graph(RalphState)
    .start(readGoal)
    .if(({ pullRequest }) => pullRequest, { id: "wants-pull-request" })
    .then(prepareBranch)
    .endif()
    .then(prepare)
    .if(({ tasks }) => tasks.length === 0, { id: "needs-plan" })
    .then(planTasks)
    .endif()
    .then(writeTasks)
    .loop(round, { id: "rounds", until: ({ isFinished }) => isFinished })
    .if(({ prBranch }) => prBranch !== "", { id: "has-branch" })
    .then(createPullRequest)
    .endif()
    .end()
    .compile({
      name: "ralph",
      output: summarizeRalph,
      ...(checkpointing === undefined ? {} : { checkpointing }),
    });
}

/** @throws InvalidOptionsError */
function parseConfig(config: unknown): RalphConfig {
  const { success, data, error } = RalphConfigSchema.safeParse(config);
  if (success) return data;
  throw new InvalidOptionsError("createRalphWorkflow", describeIssues(error));
}
