export { type CommandInput, NOTIFICATION_EVENTS, parseCommandInput } from "../contracts/index.ts";
export {
  type AgentModel,
  BUILT_IN_ENTITIES,
  createEntityRegistry,
  type EntityLocation,
  type EntityProblem,
  EntityRegistry,
  type EntitySource,
  type EntityType,
  type EntityWatcher,
  type InitializeWorkflowsOptions,
  initializeWorkflowsSDK,
  type ProviderType,
  type RegisteredEntity,
  type RegisterProviderOptions,
  toolListOf,
  type UnifiedEntity,
  type WatchEntitiesOptions,
  watchEntities,
} from "../discovery/index.ts";
export { ATOMIC_METADATA } from "./atomic/atomic-metadata.ts";
export { ATOMIC_NODE_IDS } from "./atomic/atomic-nodes.ts";
export {
  AtomicStateAnnotation,
  type AtomicWorkflowState,
  type ResearchPage,
  type SpecDecision,
} from "./atomic/atomic-state.ts";
export { type AtomicWorkflowConfig, createAtomicWorkflow } from "./atomic/atomic-workflow.ts";
export {
  EventsUnreadableError,
  type FollowEventsOptions,
  followEvents,
  readEvents,
} from "./event-record/read-events.ts";
export {
  EVENTS_FILE,
  type EventRecorder,
  EventsUnwritableError,
  type RecordEventsOptions,
  recordEvents,
} from "./event-record/record-events.ts";
export { type ForkSessionOptions, forkSession } from "./fork-session.ts";
export { BUILTIN_HINTS, getCommandHint, HintProvider, type HintSources } from "./hints/hint-provider.ts";
export type { NotificationType, RunNotification } from "./notifications/notification.ts";
export {
  DELIVERY_HEADER,
  SIGNATURE_HEADER,
  type SignWebhookOptions,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookInvalidError,
} from "./notifications/webhook-signature.ts";
export {
  EmptyPromptFileError,
  FindingsLeftError,
  NoPromptError,
  PromptFileNotFoundError,
  TaskLimitError,
  TasksLeftError,
  UnusablePromptError,
  WorkNotVerifiedError,
} from "./ralph/ralph-errors.ts";
export { MAX_RALPH_ITERATIONS, MAX_REVIEW_ITERATIONS, RALPH_METADATA } from "./ralph/ralph-metadata.ts";
export { RALPH_NODE_IDS } from "./ralph/ralph-nodes.ts";
export {
  type FailedWork,
  type RalphDebugReport,
  type RalphFinding,
  RalphState,
  type TaskWork,
} from "./ralph/ralph-state.ts";
export { createRalphWorkflow, type RalphConfig } from "./ralph/ralph-workflow.ts";
export {
  createWorkflowRegistry,
  NotAGraphError,
  type OutputMeaning,
  type RegisteredWorkflow,
  UnknownWorkflowError,
  type WorkflowRegistry,
} from "./registry/workflow-registry.ts";
export type {
  CheckedFinding,
  DroppedFinding,
  FindingReport,
  LineRange,
  RawFinding,
  ReviewFinding,
  Severity,
  SeverityThreshold,
  Verification,
} from "./review/finding.ts";
export { formatReview, type ReviewFormat } from "./review/format-review.ts";
export type { GitPlace, ReviewBase } from "./review/git-repository.ts";
export type { DiffHunk, FileChange } from "./review/parse-diff.ts";
export {
  ChangesUnreadableError,
  InvalidReviewInputError,
  NoWorkTreeError,
  ReviewFailedError,
  ReviewGitMissingError,
  UnknownBaseError,
} from "./review/review-errors.ts";
export { REVIEW_METADATA } from "./review/review-metadata.ts";
export { REVIEW_NODE_IDS } from "./review/review-nodes.ts";
export { confirmedFindings, type ReviewerOutcome, type ReviewReport } from "./review/review-report.ts";
export {
  type FixOutcome,
  type ReviewedChanges,
  type ReviewerAnswer,
  ReviewState,
  type Verdict,
} from "./review/review-state.ts";
export { createReviewWorkflow, type ReviewConfig } from "./review/review-workflow.ts";
export { type CustomReviewer, DEFAULT_REVIEWERS, type Reviewer } from "./review/reviewers.ts";
export type { ChangePiece, DiffPart, LeftOut } from "./review/split-changes.ts";
export type { LogEntry } from "./run-log.ts";
export type { RunReportStatus } from "./run-status.ts";
export { NotJsonError } from "./session-store/atomic-write.ts";
export {
  AmbiguousSessionIdError,
  BrokenSessionError,
  InvalidSessionIdError,
  JournalMissingError,
  SessionsUnwritableError,
  WorkflowSessionExistsError,
  WorkflowSessionNotFoundError,
} from "./session-store/session-errors.ts";
export { type GenerateSessionIdOptions, generateWorkflowSessionId } from "./session-store/session-id.ts";
export {
  type CreateSessionOptions,
  createSessionStore,
  type SessionList,
  type SessionStore,
  type SessionStoreOptions,
  workflowSessionsDirectory,
} from "./session-store/session-store.ts";
export type {
  SessionBase,
  SessionOrigin,
  SessionOwner,
  SessionPermissionFlags,
  SessionRecording,
  SessionSettings,
  WorkflowSession,
  WorkflowSessionStatus,
} from "./session-store/workflow-session.ts";
export { findDependencyCycle, type TaskLinks } from "./tasks/find-dependency-cycle.ts";
export { FeatureListError, type MigrateFeatureListOptions, migrateFeatureList } from "./tasks/migrate-feature-list.ts";
export {
  type MigrateRalphSessionOptions,
  migrateRalphSession,
  RalphSessionError,
} from "./tasks/migrate-ralph-session.ts";
export { type TasksFile, taskListSchema } from "./tasks/task.ts";
export { createTaskStore, TasksFileBusyError } from "./tasks/task-store.ts";
export {
  loadTasks,
  parseTasks,
  type SaveTasksOptions,
  saveTasks,
  TasksFileError,
  TasksFileNotFoundError,
} from "./tasks/tasks-file.ts";
export { TasksLockInvalidError } from "./tasks/with-list-lease.ts";
export {
  createWorkflowRuns,
  type ExecuteOptions,
  type ReadOptions,
  type RunReport,
  type StartOptions,
  type WorkflowRuns,
  type WorkflowRunsOptions,
} from "./workflow-runs.ts";
export {
  type CollectedWorktrees,
  type CollectWorktreesOptions,
  collectWorktrees,
  NoSuchWorktreeError,
} from "./worktrees/collect-worktrees.ts";
export { type CommitResult, type CommitWorktreeOptions, commitWorktree } from "./worktrees/commit-worktree.ts";
export type { MergeConflict, ResolveConflict } from "./worktrees/compute-merge.ts";
export { type CreateWorktreeOptions, createWorktree, type Worktree } from "./worktrees/create-worktree.ts";
export type { GitOptions } from "./worktrees/git.ts";
export type { WorktreeFinding } from "./worktrees/inspect-worktree.ts";
export {
  type ListWorktreesOptions,
  listWorktrees,
  type WorktreeEntry,
  type WorktreeScope,
} from "./worktrees/list-worktrees.ts";
export { type MergeResult, type MergeWorktreeOptions, mergeWorktree } from "./worktrees/merge-worktree.ts";
export { NoFreePortsError } from "./worktrees/port-registry.ts";
export { type RemoveWorktreeOptions, removeWorktree } from "./worktrees/remove-worktree.ts";
export {
  GitFailedError,
  GitIdentityMissingError,
  GitMissingError,
  GitTooOldError,
  RepositoryUnusableError,
  TargetBranchMissingError,
  WorktreeDamagedError,
  WorktreeHasWorkError,
  WorktreeNameTakenError,
  WorktreeNotCommittableError,
  WorktreeRecordError,
  WorktreeSetupError,
  WorktreeUnknownError,
} from "./worktrees/worktree-errors.ts";
export { createWorktreeService, type WorktreeServiceOptions } from "./worktrees/worktree-service.ts";
export { ScriptNameError, ScriptNameTakenError, ScriptNotWrittenError } from "./write/write-errors.ts";
export { WRITE_METADATA } from "./write/write-metadata.ts";
export { WRITE_NODE_IDS } from "./write/write-nodes.ts";
export type { WriteReport } from "./write/write-report.ts";
export { type DraftOutline, type ScriptDecision, WriteState } from "./write/write-state.ts";
export { createWriteWorkflow, type WriteConfig } from "./write/write-workflow.ts";
