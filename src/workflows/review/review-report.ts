import { type CheckedFinding, type DroppedFinding, reachesThreshold, type SeverityThreshold } from "./finding.ts";
import type { FixOutcome, ReviewState } from "./review-state.ts";
import type { Reviewer } from "./reviewers.ts";
import type { LeftOut } from "./split-changes.ts";

/** What became of one reviewer. */
export interface ReviewerOutcome {
  readonly focus: string;
  readonly agent: string;
  /** `partial`: it failed on some parts of the diff. */
  readonly status: "done" | "partial" | "failed";
  /** How many problems it reported. */
  readonly findings: number;
  readonly error?: string;
}

/** The result of a review: plain data, the same in every format. */
export interface ReviewReport {
  readonly status: "reviewed" | "nothing-to-review";
  /** Whether no finding has at least the severity `failOn`. Findings that were refuted do not count. */
  readonly isPassed: boolean;
  readonly failOn: SeverityThreshold;
  /** What the changes were compared with; empty for uncommitted changes. */
  readonly base: string;
  readonly commit: string;
  /** The folder that was reviewed, relative to the repository's root; empty for all of it. */
  readonly folder: string;
  /** How many files were reviewed. */
  readonly files: number;
  /** What was confirmed, or could not be checked; the worst first. */
  readonly findings: readonly CheckedFinding[];
  readonly refuted: readonly CheckedFinding[];
  readonly dropped: readonly DroppedFinding[];
  readonly reviewers: readonly ReviewerOutcome[];
  /** Files that no reviewer has read, and why. */
  readonly leftOut: readonly LeftOut[];
  readonly fix?: FixOutcome;
}

/** The result of a review, from its state. Pure. */
export function createReport(state: ReviewState, reviewers: readonly Reviewer[]): ReviewReport {
  const { changes, severity: failOn, fixOutcome } = state;
  const checked = state.findings.map((finding): CheckedFinding => {
    const verdict = state.verdicts.find(({ id }) => id === finding.id);
    const verification = verdict?.verification ?? { status: "unverified", reason: "It was not checked." };
    return { ...finding, verification };
  });
  const findings = checked.filter(({ verification }) => verification.status !== "refuted");
  const isReviewed = (changes?.parts.length ?? 0) > 0;
  const paths = changes?.parts.flatMap(({ pieces }) => pieces.map(({ index }) => changes.files[index]?.path));
  return {
    status: isReviewed ? "reviewed" : "nothing-to-review",
    isPassed: !findings.some(({ severity }) => reachesThreshold(severity, failOn)),
    failOn,
    base: changes?.base ?? "",
    commit: changes?.commit ?? "",
    folder: changes?.folder ?? "",
    files: new Set(paths).size,
    findings,
    refuted: checked.filter(({ verification }) => verification.status === "refuted"),
    dropped: state.dropped,
    reviewers: isReviewed ? reviewers.map((reviewer) => outcomeOf(reviewer, state)) : [],
    leftOut: changes?.leftOut ?? [],
    ...(fixOutcome === null ? {} : { fix: fixOutcome }),
  };
}

/**
 * The findings that another agent confirmed, the worst first: what a graph with the review as a step reads of its final state.
 *
 * ```ts
 * subgraphNode({
 *   id: "review",
 *   subgraph: createReviewWorkflow({ agents: ["claude", "opencode"] }),
 *   inputMapper: (state) => ({ base: state.startCommit }),
 *   outputMapper: (review) => ({ problems: confirmedFindings(review) }),
 * });
 * ```
 */
export function confirmedFindings(state: ReviewState): readonly CheckedFinding[] {
  return createReport(state, []).findings.filter(({ verification }) => verification.status === "confirmed");
}

function outcomeOf({ nodeId, focus, agent }: Reviewer, { answers, runAgent }: ReviewState): ReviewerOutcome {
  const own = answers.filter((answer) => answer.nodeId === nodeId);
  const errors = own.flatMap(({ error }) => error ?? []);
  const findings = own.reduce((sum, answer) => sum + answer.findings.length, 0);
  const [error] = errors;
  const about = { focus, agent: agent ?? runAgent, findings };
  if (error === undefined) return { ...about, status: "done" };
  return { ...about, status: errors.length === own.length ? "failed" : "partial", error };
}
