// The third face of the workflows, for the program: what single commands need, and no author does.

export { findWaitingRuns, type UnreadableRun, type WaitingRun } from "./find-waiting-runs.ts";
export { loadRalphGoal } from "./ralph/load-goal.ts";
export { MAX_RALPH_WORKERS } from "./ralph/ralph-metadata.ts";
export { loadRalphStart } from "./ralph/ready-tasks.ts";
export { THRESHOLDS } from "./review/finding.ts";
export { REVIEW_FORMATS } from "./review/format-review.ts";
export { resolveReviewBase } from "./review/git-repository.ts";
export { resolveReviewers } from "./review/reviewers.ts";
export { type RunChanges, readBase, readRunChanges } from "./run-changes.ts";
export { inputOf } from "./session-input.ts";
export { isWorkflowSessionId } from "./session-store/session-id.ts";
export { PROTECTED_FINDINGS } from "./worktrees/collect-worktrees.ts";
