import { z } from "zod";
import type { WorkflowMetadata } from "../../contracts/index.ts";
import { parseWorkflowInputs, type WorkflowInputs } from "../../discovery/index.ts";

// What lists of workflows need, without Ralph itself.

/** More starts of tasks in a round than this are taken for a runaway plan, unless the configuration says otherwise. */
export const MAX_RALPH_ITERATIONS = 500;
/** How often the work is reviewed, unless the configuration says otherwise. */
export const MAX_REVIEW_ITERATIONS = 2;
/** How often a task is started before it counts as failing, unless the configuration says otherwise. */
export const MAX_ATTEMPTS = 3;

/** How many causes of failures are looked for in a round, unless the configuration says otherwise. */
export const MAX_DEBUG_REPORTS = 3;

/** More workers than this only wait: as many steps of a run work at the same time. */
export const MAX_RALPH_WORKERS = 16;

/** The inputs of Ralph, which a workflow with Ralph in it can extend. */
export const RalphInputs = z.object({
  prompt: z.string().default("").describe("What is wanted, or the path of a file that says it"),
  verifyCommand: z.string().default("").describe("The command that must succeed before a task, and the work, is done"),
  workers: z.int().min(0).max(MAX_RALPH_WORKERS).default(0).describe("How many tasks at once; 0 chooses"),
  setupCommand: z.string().default("").describe("The command that prepares each worktree"),
  review: z.boolean().default(true).describe("Whether the changes are reviewed"),
  pullRequest: z.boolean().default(false).describe("Whether a pull request is opened, where there is a remote and gh"),
});

/** What a run of Ralph takes. */
export const RALPH_INPUTS: WorkflowInputs | undefined = parseWorkflowInputs(RalphInputs);

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
    maxDebugReports: MAX_DEBUG_REPORTS,
    agents: [],
  },
  version: "2.0.0",
  minSDKVersion: "0.1.0",
  stateVersion: 2,
  argumentHint: '"<prompt-or-spec-path>" [--verify COMMAND]',
  ...(RALPH_INPUTS === undefined ? {} : { inputs: RALPH_INPUTS.fields }),
};
