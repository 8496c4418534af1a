import { z } from "zod";
import type { WorkflowMetadata } from "../../contracts/index.ts";
import { parseWorkflowInputs, type WorkflowInputs } from "../../discovery/index.ts";
import { RalphInputs } from "../ralph/ralph-metadata.ts";

/** What a run of the Atomic workflow takes. */
export const ATOMIC_INPUTS: WorkflowInputs | undefined = parseWorkflowInputs(
  RalphInputs.extend({
    pullRequest: z.boolean().default(true).describe("Whether a pull request is opened, where there is a remote and gh"),
  }),
);

/** What lists and help show about Atomic's workflow; without the workflow itself. */
export const ATOMIC_METADATA: WorkflowMetadata = {
  name: "atomic",
  description: "Research a task, write a specification, have it approved, then implement it and open a pull request",
  aliases: [],
  source: "builtin",
  defaultConfig: { agents: [], maxFeedbackRounds: 20 },
  version: "1.0.0",
  minSDKVersion: "0.1.0",
  stateVersion: 1,
  argumentHint: '"<prompt-or-path>"',
  ...(ATOMIC_INPUTS === undefined ? {} : { inputs: ATOMIC_INPUTS.fields }),
};
