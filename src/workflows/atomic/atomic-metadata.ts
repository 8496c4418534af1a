import type { WorkflowMetadata } from "../../contracts/index.ts";

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
};
