import { z } from "zod";
import type { WorkflowMetadata } from "../../contracts/index.ts";
import { parseWorkflowInputs, type WorkflowInputs } from "../../discovery/index.ts";
import { THRESHOLDS } from "./finding.ts";
import { DEFAULT_REVIEWERS } from "./reviewers.ts";

// What lists of workflows need, without the review itself.

/** The limits of a review without settings. */
export const REVIEW_LIMITS = { maxDiffLength: 60_000, maxParts: 8, maxFindings: 100 } as const;

/** What a workflow's `inputs` accept. */
export const ReviewInputs = z.object({
  base: z.string().default("").describe("The branch or commit to compare with; empty for the main branch"),
  diff: z.string().default("").describe("A unified diff to review in place of the working tree's changes"),
  severity: z.enum(THRESHOLDS).default("high").describe("The mildest finding that fails the review"),
  fix: z.boolean().default(false).describe("Whether a worker corrects the confirmed findings"),
});

/** What a run of the review takes. */
export const REVIEW_INPUTS: WorkflowInputs | undefined = parseWorkflowInputs(ReviewInputs);

/** What lists and help show about the review. */
export const REVIEW_METADATA: WorkflowMetadata = {
  name: "review",
  description: "Review the changes of a branch, and have another agent check each finding",
  aliases: [],
  source: "builtin",
  defaultConfig: {
    reviewers: [...DEFAULT_REVIEWERS],
    agents: [],
    ...REVIEW_LIMITS,
    except: [],
  },
  version: "1.0.0",
  minSDKVersion: "0.1.0",
  stateVersion: 1,
  argumentHint: "[--input base=BRANCH]",
  ...(REVIEW_INPUTS === undefined ? {} : { inputs: REVIEW_INPUTS.fields }),
};
