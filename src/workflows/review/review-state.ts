import { annotation, defineState, Reducers, type StateOf } from "../../graph/index.ts";
import type { DroppedFinding, RawFinding, ReviewFinding, SeverityThreshold, Verification } from "./finding.ts";
import type { FileChange } from "./parse-diff.ts";
import type { DiffPart, LeftOut } from "./split-changes.ts";

/** The changes that a review is about. */
export interface ReviewedChanges {
  /** The branch that they are compared with; empty for uncommitted changes, and for a diff that was passed in. */
  readonly base: string;
  /** The commit that they are compared with; empty for a diff that was passed in. */
  readonly commit: string;
  /** The folder whose changes these are, relative to the repository's root; empty for all. */
  readonly folder: string;
  readonly files: readonly FileChange[];
  /** What reviewers read, divided into prompts. */
  readonly parts: readonly DiffPart[];
  readonly leftOut: readonly LeftOut[];
}

/** The answer of one reviewer about one part of the diff. */
export interface ReviewerAnswer {
  /** The reviewer and the part. */
  readonly id: string;
  /** The id of the reviewer's node. */
  readonly nodeId: string;
  readonly findings: readonly RawFinding[];
  /** Why there are no findings, if the reviewer failed. */
  readonly error?: string;
}

/** What checking a finding came to. */
export interface Verdict {
  /** The id of the finding. */
  readonly id: string;
  readonly verification: Verification;
}

/** What became of the confirmed findings that a worker was to correct. */
export interface FixOutcome {
  readonly agent: string;
  readonly findings: number;
  /** What the worker says that it did. */
  readonly summary: string;
  /** How many of its calls the permissions denied. */
  readonly deniedCalls: number;
  readonly error?: string;
}

/** The state of a review. The first four fields are its input. */
export const ReviewState = defineState({
  /** What the working tree is compared with; empty for the point where the branch left the main branch. */
  base: annotation(""),
  /** A unified diff to review in place of the working tree's changes. */
  diff: annotation(""),
  /** The mildest finding that fails the review. */
  severity: annotation<SeverityThreshold>("high"),
  /** Whether a worker corrects what was confirmed. */
  fix: annotation(false),
  changes: annotation<ReviewedChanges | null>(null),
  /** The name of the run's own agent. */
  runAgent: annotation(""),
  answers: annotation<ReviewerAnswer[]>([], Reducers.mergeById<ReviewerAnswer>("id")),
  findings: annotation<readonly ReviewFinding[]>([]),
  dropped: annotation<readonly DroppedFinding[]>([]),
  verdicts: annotation<Verdict[]>([], Reducers.mergeById<Verdict>("id")),
  fixOutcome: annotation<FixOutcome | null>(null),
});

/** The state of a review. */
export type ReviewState = StateOf<typeof ReviewState>;
