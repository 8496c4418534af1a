import type { WorkflowMetadata } from "../../contracts/index.ts";

// What lists of workflows need, without Ralph itself.

/** More starts of tasks in a round than this are taken for a runaway plan, unless the configuration says otherwise. */
export const MAX_RALPH_ITERATIONS = 500;
/** How often the work is reviewed, unless the configuration says otherwise. */
export const MAX_REVIEW_ITERATIONS = 2;
/** How often a task is started before it counts as failing, unless the configuration says otherwise. */
export const MAX_ATTEMPTS = 3;

/** What lists and help show about Ralph. */
export const RALPH_METADATA: WorkflowMetadata = {
  name: "ralph",
  description: "Plan a piece of work, implement it task by task, and verify the result",
  aliases: ["loop"],
  source: "builtin",
  defaultConfig: {
    maxIterations: MAX_RALPH_ITERATIONS,
    maxAttempts: MAX_ATTEMPTS,
    maxReviews: MAX_REVIEW_ITERATIONS,
    agents: [],
  },
  version: "2.0.0",
  minSDKVersion: "0.1.0",
  stateVersion: 2,
  argumentHint: '"<prompt-or-spec-path>" [--verify COMMAND]',
};
