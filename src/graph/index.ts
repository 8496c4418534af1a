export type {
  DebugReport,
  SpanAttributes,
  SpanContext,
  SpanLink,
  SpanStart,
  TelemetryPort,
  TelemetrySpan,
  WorkflowToolContext,
} from "../contracts/index.ts";
export { GraphBuilder, graph, type Steps } from "./builder.ts";
export type { GraphEdge } from "./compile/graph-edges.ts";
export type { OutlineStep } from "./compile/outline-steps.ts";
export { CompiledGraph } from "./compiled-graph.ts";
export { StateVersionError } from "./decide/migrate-state.ts";
export { NobodyToAskError, UnusableAnswerError } from "./decide/open-questions.ts";
export type { LostRecords } from "./decide/records/journal-record.ts";
export { FinishedTooEarlyError } from "./decide/result-record.ts";
export { UnansweredQuestionError } from "./dry-run/choose-answer.ts";
export { formatPlan } from "./dry-run/format-plan.ts";
export type { PlannedCommand, PlannedQuestion, PlannedResult, PlanOptions } from "./dry-run/plan-options.ts";
export type {
  PlanCommand,
  PlanDecision,
  PlanFanOut,
  PlanIteration,
  PlanLoop,
  PlanNode,
  PlanQuestion,
  PlanReport,
  PlanRoute,
  PlanSleep,
  PlanStep,
} from "./dry-run/plan-report.ts";
export { createDebugReport, type DebugReportOptions } from "./errors/debug-report.ts";
export {
  AllBranchesFailedError,
  CommandFailedError,
  GotoOutOfBranchError,
  GraphChangedError,
  GraphValidationError,
  InvalidAnswerError,
  InvalidServiceError,
  JournalCorruptError,
  JournalReadError,
  JournalWriteError,
  LoopLimitError,
  MapItemsError,
  MissingServiceError,
  NodeTimeoutError,
  NoRouteError,
  RestoredError,
  RunExistsError,
  RunFinishedError,
  RunLimitError,
  RunLockedError,
  RunSuspendedError,
  RunsNotListableError,
  SchemaValidationError,
  SubgraphCycleError,
  UnknownCheckpointError,
  UnknownNodeError,
  UnknownRequestError,
  UnknownRunError,
  UnknownSubgraphError,
} from "./errors/errors.ts";
export { PromiseReturnedError } from "./errors/promise-returned-error.ts";
export { StateChangedError } from "./errors/state-changed-error.ts";
export { StateMutationError } from "./errors/state-mutation-error.ts";
export { UnfitUpdateError } from "./errors/unfit-update-error.ts";
export { ConcurrentUpdateError, UnknownStateFieldError, UnserializableValueError } from "./errors/update-errors.ts";
export { VisitLimitError } from "./errors/visit-limit-error.ts";
export { cancelRun } from "./journal/cancel-run.ts";
export { type RunCheckpoint, readRunHistory } from "./journal/history.ts";
export { findLostRecords } from "./journal/lost-records.ts";
export { type PrunedRuns, type PruneRunsOptions, pruneRuns } from "./journal/prune-runs.ts";
export { type NodeSummary, type RunSummary, readRunSummary } from "./journal/run-summary.ts";
export { UnsupportedSchemaError } from "./json-schema/smallest-schema-value.ts";
export type { AgentSettings, MessageBuilder, SessionName } from "./model/agent-settings.ts";
export type { LoopConfig, MapConfig, ParallelConfig } from "./model/builder-config.ts";
export type {
  Checkpointer,
  JournalEntry,
  JournalLoss,
  RunJournal,
  RunMailbox,
  RunMessage,
} from "./model/checkpointer.ts";
export type { CodeGuard, NodeScope } from "./model/code-guard.ts";
export {
  getClientProvider,
  getSubagentBridge,
  getSubagentRegistry,
  getToolRegistry,
  getWorkflowResolver,
  setClientProvider,
  setSubagentBridge,
  setSubagentRegistry,
  setToolRegistry,
  setWorkflowResolver,
  withServiceScope,
} from "./model/default-services.ts";
export type {
  AgentVisit,
  ClientProvider,
  ClientWish,
  CommandRunner,
  ExecutionContext,
  ExecutionError,
  ResolveWorkflowOptions,
  RunServices,
  WorkflowResolver,
} from "./model/execution-context.ts";
export type { GitOutcome, GitReader, GitReaderOptions } from "./model/git-reader.ts";
export type { GraphConfig, MigrateState } from "./model/graph-config.ts";
export type { GraphSettings } from "./model/graph-settings.ts";
export type { JoinStrategy } from "./model/join-strategy.ts";
export type { MapPlace } from "./model/map-place.ts";
export type { AgentDefinition, PromptDefinition } from "./model/named-definitions.ts";
export { NamedRegistry } from "./model/named-registry.ts";
export { type NamedKind, type NamedServices, UnknownNameError } from "./model/named-services.ts";
export type {
  NodeDefinition,
  NodeResult,
  NodeType,
  RequestSpec,
  RetryConfig,
  SignalData,
} from "./model/node-definition.ts";
export type { NodeId } from "./model/node-id.ts";
export type { NodeUse } from "./model/node-use.ts";
export { type CommandResult, type RunCommandOptions, runCommand } from "./model/run-command.ts";
export { defaultScriptLimits, type ScriptLimits } from "./model/script-limits.ts";
export type { RehearseOptions, ScriptRehearsal, ScriptServices } from "./model/script-services.ts";
export { selectReadyTasks } from "./model/select-ready-tasks.ts";
export { InvalidSleepError, type SleepSpec } from "./model/sleep.ts";
export type { RunBudget } from "./model/spending.ts";
export type { NodeCommand } from "./model/steering-command.ts";
export type {
  SubagentFailure,
  SubagentOptions,
  SubagentResult,
  SubagentRunner,
  SubagentSession,
  SubagentSpawnOptions,
  SubagentSuccess,
} from "./model/subagent-runner.ts";
export type { Task, TaskStatus, TaskStore, UpdateTasksOptions } from "./model/task-store.ts";
export type {
  MergeTaskOptions,
  OpenedWorktree,
  OpenWorktreeOptions,
  WorktreeConflict,
  WorktreeMerge,
  WorktreeService,
  WorktreeTask,
} from "./model/worktree-service.ts";
export { type AgentNodeConfig, agentNode, type NamedAgentNodeConfig } from "./nodes/agents/agent-node.ts";
export { SessionAgentMismatchError } from "./nodes/agents/agent-session.ts";
export { type CommandNodeConfig, commandNode } from "./nodes/agents/command-node.ts";
export {
  BACKGROUND_COMPACTION_THRESHOLD,
  BUFFER_EXHAUSTION_THRESHOLD,
  type ContextThresholds,
} from "./nodes/agents/context-thresholds.ts";
export type { PromptSettings } from "./nodes/agents/prompt-node.ts";
export { type SkillNodeConfig, skillNode } from "./nodes/agents/skill-node.ts";
export type { ClearContextNodeConfig } from "./nodes/context/clear-context.ts";
export { clearContextNode } from "./nodes/context/clear-context-node.ts";
export { contextMonitorNode } from "./nodes/context/context-monitor-node.ts";
export type { ContextMonitorNodeConfig, ContextReading } from "./nodes/context/monitor-context.ts";
export { ContextExhaustedError } from "./nodes/context/monitor-context.ts";
export { type DecisionNodeConfig, decisionNode } from "./nodes/flow/decision-node.ts";
export { type ParallelNodeConfig, parallelNode } from "./nodes/flow/parallel-node.ts";
export { type SleepNodeConfig, sleepNode } from "./nodes/flow/sleep-node.ts";
export {
  type CompiledSubgraph,
  SubgraphConfigError,
  type SubgraphInput,
  type SubgraphNodeConfig,
  type SubgraphRef,
  subgraphNode,
} from "./nodes/flow/subgraph-node.ts";
export { type AskUserNodeConfig, type AskUserOptions, askUserNode } from "./nodes/people/ask-user-node.ts";
export { type WaitConfig, type WaitNodeConfig, waitNode } from "./nodes/people/wait-node.ts";
export type {
  ScriptAgentOptions,
  ScriptAnswer,
  ScriptApi,
  ScriptAskOptions,
  ScriptBudget,
  ScriptPipeline,
  ScriptShellOptions,
  ScriptStage,
} from "./nodes/script/script-api.ts";
export {
  ScriptCallError,
  ScriptFailedError,
  ScriptLimitError,
  ScriptProcessError,
  ScriptUsageError,
} from "./nodes/script/script-errors.ts";
export type { ScriptHost } from "./nodes/script/script-host.ts";
export { type ScriptFunction, type ScriptNodeConfig, scriptNode } from "./nodes/script/script-node.ts";
export { readScriptText, type ScriptText } from "./nodes/script/script-text.ts";
export { type CommandPlace, type ReportedCommand, runAndReport } from "./nodes/shared/run-and-report.ts";
export type { SubagentSettings } from "./nodes/subagents/delegate.ts";
export { type ParallelSubagentNodeConfig, parallelSubagentNode } from "./nodes/subagents/parallel-subagent-node.ts";
export { SubagentFailedError } from "./nodes/subagents/run-subagent.ts";
export { type SubagentNodeConfig, subagentNode } from "./nodes/subagents/subagent-node.ts";
export { VerificationFailedError, VerificationImpossibleError } from "./nodes/subagents/verify-work.ts";
export type { CriteriaLoopConfig, CriteriaLoopState } from "./nodes/tasks/check-criteria.ts";
export { CriteriaOutputError } from "./nodes/tasks/check-criteria.ts";
export { criteriaLoopFields, criteriaLoopNode } from "./nodes/tasks/criteria-loop-node.ts";
export { TaskLoopWorkersError, TaskNotSelectableError, TasksUnfinishedError } from "./nodes/tasks/task-loop-errors.ts";
export { type TaskLoopConfig, taskLoopNode } from "./nodes/tasks/task-loop-node.ts";
export {
  type TaskFailure,
  type TaskLoopState,
  taskLoopFields,
  type UnfinishedTask,
} from "./nodes/tasks/task-loop-state.ts";
export { type CustomToolNodeConfig, customToolNode } from "./nodes/tools/custom-tool-node.ts";
export { type ShellNodeConfig, shellNode } from "./nodes/tools/shell-node.ts";
export { type ToolNodeConfig, toolNode } from "./nodes/tools/tool-node.ts";
export { type MissingStateFields, type NodeFactories, nodes } from "./nodes.ts";
export { InvalidOptionsError } from "./options/check-call.ts";
export { RunNotEditableError } from "./run/edit-run.ts";
export type {
  Answers,
  EditOptions,
  ForkPoint,
  HistoryOptions,
  PreparedFork,
  ResumeOptions,
  RunEdit,
  RunOptions,
  RunResult,
  StreamOptions,
} from "./run/run-options.ts";
export { VirtualClock } from "./run/virtual-clock.ts";
export { DefaultSaver, type DefaultSaverOptions } from "./savers/default-saver.ts";
export { FileSaver, type FileSaverOptions } from "./savers/file-saver.ts";
export { MemorySaver } from "./savers/memory-saver.ts";
export { ResearchDirSaver, type ResearchDirSaverOptions } from "./savers/research-dir-saver.ts";
export { type RunLease, RunLeases, type RunLeasesOptions } from "./savers/run-lease.ts";
export { SessionDirSaver, type SessionDirSaverOptions } from "./savers/session-dir-saver.ts";
export { SqliteSaver, type SqliteSaverOptions } from "./savers/sqlite-saver.ts";
export { compileScript, type ScriptConfig, script } from "./script.ts";
export {
  type AgentSessionRef,
  type Annotation,
  annotation,
  type BaseState,
  defineState,
  type Reducer,
  Reducers,
  type StateFields,
  type StateFromAnnotation,
  type StateOf,
  type StateSchema,
  type StateUpdate,
} from "./state/annotation.ts";
export type { StandardSchema } from "./state/standard-schema.ts";
export { applyStateUpdate, initializeState } from "./state/state-schema.ts";
export { controlRun, RunControl, type SteerableRun } from "./steering/run-control.ts";
export type { ControlRunOptions } from "./steering/send-command.ts";
export {
  AmbiguousNodeError,
  CommandReplacedError,
  CommandUnsentError,
  ControlInUseError,
  NodeCancelledError,
  NodeEndedError,
  NodeNotUnderWayError,
  NodeRestartedError,
  NodeSkippedError,
  RunNotExecutedError,
  RunPausingError,
  SteeringTimeoutError,
} from "./steering/steering-errors.ts";
export {
  SubagentGraphBridge,
  type SubagentGraphBridgeOptions,
  saveSubagentOutput,
} from "./subagents/subagent-graph-bridge.ts";
export {
  SubagentBusyError,
  SubagentCancelledError,
  SubagentSessionManager,
  type SubagentSessionManagerOptions,
  SubagentTimeoutError,
} from "./subagents/subagent-session-manager.ts";
export type { SubagentPhase, SubagentStatus } from "./subagents/subagent-work.ts";
