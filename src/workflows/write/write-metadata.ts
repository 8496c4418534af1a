import { z } from "zod";
import type { WorkflowMetadata } from "../../contracts/index.ts";
import { parseWorkflowInputs, type WorkflowInputs } from "../../discovery/index.ts";

// What lists of workflows need, without the workflow itself.

/** The limits of a run without settings. */
export const WRITE_LIMITS = { maxAgents: 20, maxDrafts: 5, maxFeedbackRounds: 20 } as const;

const WriteInputs = z.object({
  prompt: z.string().default("").describe("What the script is to do, or the path of a file that says it"),
  name: z.string().default("").describe("The name of the script; empty: the agent chooses"),
  keep: z.boolean().default(false).describe("Whether the script is kept without a question"),
});

/** What a run of the workflow takes. */
export const WRITE_INPUTS: WorkflowInputs | undefined = parseWorkflowInputs(WriteInputs);

/** What lists and help show about the workflow. */
export const WRITE_METADATA: WorkflowMetadata = {
  name: "write",
  description: "Have an agent write a workflow script for a task, check it, and run it when you approve",
  aliases: [],
  source: "builtin",
  defaultConfig: { ...WRITE_LIMITS },
  version: "1.0.0",
  minSDKVersion: "0.1.0",
  stateVersion: 1,
  argumentHint: '"<task-or-path>"',
  ...(WRITE_INPUTS === undefined ? {} : { inputs: WRITE_INPUTS.fields }),
};
