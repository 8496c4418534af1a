export type { DebugReport, WorkflowToolContext } from "../contracts/index.ts";
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
} from "./annotation.ts";
export { GraphBuilder, graph, type Steps } from "./builder.ts";
export type { LoopConfig, MapConfig, ParallelConfig } from "./builder-config.ts";
export type { Checkpointer, JournalEntry, JournalLoss, RunJournal, RunMailbox, RunMessage } from "./checkpointer.ts";
export type { CodeGuard, NodeScope } from "./code-guard.ts";
export { CompiledGraph } from "./compiled-graph.ts";
export { createDebugReport, type DebugReportOptions } from "./debug-report.ts";
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
} from "./default-services.ts";
export { formatPlan } from "./dry-run/format-plan.ts";
export type { PlannedCommand, PlannedQuestion, PlannedResult, PlanOptions } from "./dry-run/plan-options.ts";
export {
  type PlanCommand,
  type PlanDecision,
  type PlanFanOut,
  type PlanIteration,
  type PlanLoop,
  type PlanNode,
  type PlanQuestion,
  type PlanReport,
  type PlanRoute,
  type PlanSleep,
  type PlanStep,
  stepsOfType,
} from "./dry-run/plan-report.ts";
export { UnansweredQuestionError } from "./dry-run/unanswered-question-error.ts";
export { stackOf, userFrameOf } from "./error-stack.ts";
export {
  AllBranchesFailedError,
  CommandFailedError,
  ConcurrentUpdateError,
  GotoOutOfBranchError,
  GraphChangedError,
  GraphValidationError,
  InvalidAnswerError,
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
  UnknownStateFieldError,
  UnknownSubgraphError,
  UnserializableValueError,
} from "./errors.ts";
export type {
  ClientProvider,
  ClientWish,
  CommandRunner,
  ExecutionContext,
  ExecutionError,
  ResolveWorkflowOptions,
  RunServices,
  WorkflowResolver,
} from "./execution-context.ts";
export { FinishedTooEarlyError } from "./finished-too-early-error.ts";
export type {
  Answers,
  EditOptions,
  ForkPoint,
  GraphConfig,
  HistoryOptions,
  ResumeOptions,
  RunEdit,
  RunOptions,
  RunResult,
  StreamOptions,
} from "./graph-config.ts";
export type { GraphEdge } from "./graph-edges.ts";
export type { GraphSettings } from "./graph-settings.ts";
export type { RunCheckpoint } from "./history.ts";
export type { JoinStrategy } from "./join-strategy.ts";
export type { LostRecords } from "./journal-record.ts";
export { smallestSchemaValue, UnsupportedSchemaError } from "./json-schema/smallest-schema-value.ts";
export { LateMemorySaver as MemorySaver } from "./late-memory-saver.ts";
export { LateRunLeases as RunLeases } from "./late-run-leases.ts";
export { describeLoss, findLostRecords } from "./lost-records.ts";
export type { MapPlace } from "./map-place.ts";
export type { MigrateState } from "./migrate-state.ts";
export type { AgentDefinition, PromptDefinition } from "./named-definitions.ts";
export { NamedRegistry } from "./named-registry.ts";
export { type NamedKind, type NamedServices, UnknownNameError } from "./named-services.ts";
export { NobodyToAskError } from "./nobody-to-ask-error.ts";
export type { NodeDefinition, NodeResult, NodeType, RequestSpec, RetryConfig, SignalData } from "./node-definition.ts";
export type { NodeId } from "./node-id.ts";
export { type AgentNodeConfig, agentNode, type NamedAgentNodeConfig } from "./nodes/agent-node.ts";
export type { SessionName } from "./nodes/agent-session.ts";
export type { AgentSettings, MessageBuilder } from "./nodes/agent-settings.ts";
export { type AskUserNodeConfig, type AskUserOptions, askUserNode } from "./nodes/ask-user-node.ts";
export type { CriteriaLoopConfig, CriteriaLoopState } from "./nodes/check-criteria.ts";
export type { ClearContextNodeConfig } from "./nodes/clear-context.ts";
export { clearContextNode } from "./nodes/clear-context-node.ts";
export { type CommandNodeConfig, commandNode } from "./nodes/command-node.ts";
export { ContextExhaustedError } from "./nodes/context-exhausted-error.ts";
export { contextMonitorNode } from "./nodes/context-monitor-node.ts";
export {
  BACKGROUND_COMPACTION_THRESHOLD,
  BUFFER_EXHAUSTION_THRESHOLD,
  type ContextThresholds,
} from "./nodes/context-thresholds.ts";
export { criteriaLoopFields, criteriaLoopNode } from "./nodes/criteria-loop-node.ts";
export { CriteriaOutputError } from "./nodes/criteria-output-error.ts";
export { type CustomToolNodeConfig, customToolNode } from "./nodes/custom-tool-node.ts";
export { type DecisionNodeConfig, decisionNode } from "./nodes/decision-node.ts";
export type { SubagentSettings } from "./nodes/delegate.ts";
export type { ContextMonitorNodeConfig, ContextReading } from "./nodes/monitor-context.ts";
export { type ParallelNodeConfig, parallelNode } from "./nodes/parallel-node.ts";
export { type ParallelSubagentNodeConfig, parallelSubagentNode } from "./nodes/parallel-subagent-node.ts";
export type { PromptSettings } from "./nodes/prompt-node.ts";
export type { CommandResult, RunCommandOptions } from "./nodes/run-command.ts";
export { SessionAgentMismatchError } from "./nodes/session-agent-mismatch-error.ts";
export { type ShellNodeConfig, shellNode } from "./nodes/shell-node.ts";
export { type SkillNodeConfig, skillNode } from "./nodes/skill-node.ts";
export { type SleepNodeConfig, sleepNode } from "./nodes/sleep-node.ts";
export { SubagentFailedError } from "./nodes/subagent-failed-error.ts";
export { type SubagentNodeConfig, subagentNode } from "./nodes/subagent-node.ts";
export {
  type CompiledSubgraph,
  SubgraphConfigError,
  type SubgraphInput,
  type SubgraphNodeConfig,
  type SubgraphRef,
  subgraphNode,
} from "./nodes/subgraph-node.ts";
export { TaskNotSelectableError, TasksUnfinishedError } from "./nodes/task-loop-errors.ts";
export { type TaskLoopConfig, taskLoopNode } from "./nodes/task-loop-node.ts";
export { type TaskFailure, type TaskLoopState, taskLoopFields, type UnfinishedTask } from "./nodes/task-loop-state.ts";
export { type ToolNodeConfig, toolNode } from "./nodes/tool-node.ts";
export { type WaitConfig, type WaitNodeConfig, waitNode } from "./nodes/wait-node.ts";
export { type MissingStateFields, type NodeFactories, nodes } from "./nodes.ts";
export { cancelRun, pruneRuns, readRunSummary, runCommand } from "./on-demand.ts";
export { InvalidOptionsError } from "./options/check-call.ts";
export type { PrunedRuns, PruneRunsOptions } from "./prune-runs.ts";
export { RunNotEditableError } from "./run-not-editable-error.ts";
export type { NodeSummary, RunSummary } from "./run-summary.ts";
export { DefaultSaver, type DefaultSaverOptions } from "./savers/default-saver.ts";
export { FileSaver } from "./savers/file-saver.ts";
export type { FileSaverOptions } from "./savers/file-store.ts";
export { ResearchDirSaver } from "./savers/research-dir-saver.ts";
export type { ResearchDirSaverOptions } from "./savers/research-dir-store.ts";
export type { RunLease, RunLeasesOptions } from "./savers/run-lease.ts";
export { SessionDirSaver } from "./savers/session-dir-saver.ts";
export type { SessionDirSaverOptions } from "./savers/session-dir-store.ts";
export { SqliteSaver } from "./savers/sqlite-saver.ts";
export type { SqliteSaverOptions } from "./savers/sqlite-store.ts";
export { selectReadyTasks } from "./select-ready-tasks.ts";
export { InvalidSleepError, type SleepSpec } from "./sleep.ts";
export type { RunBudget } from "./spending.ts";
export type { StandardSchema } from "./standard-schema.ts";
export { StateMutationError } from "./state-mutation-error.ts";
export { applyStateUpdate, initializeState } from "./state-schema.ts";
export { StateVersionError } from "./state-version-error.ts";
export { controlRun, RunControl, type SteerableRun } from "./steering/run-control.ts";
export type { ControlRunOptions } from "./steering/send-command.ts";
export type { NodeCommand, SteeringCommand } from "./steering/steering-command.ts";
export {
  AmbiguousNodeError,
  CommandReplacedError,
  ControlInUseError,
  NodeCancelledError,
  NodeEndedError,
  NodeNotUnderWayError,
  NodeRestartedError,
  NodeSkippedError,
  RunNotExecutedError,
  SteeringTimeoutError,
} from "./steering/steering-errors.ts";
export type {
  SubagentFailure,
  SubagentOptions,
  SubagentResult,
  SubagentRunner,
  SubagentSuccess,
} from "./subagent-runner.ts";
export type { Task, TaskStatus, TaskStore, UpdateTasksOptions } from "./task-store.ts";
export type {
  SpanAttributes,
  SpanContext,
  SpanLink,
  SpanStart,
  TelemetryPort,
  TelemetrySpan,
} from "./telemetry/telemetry-port.ts";
export { UnfitUpdateError } from "./unfit-update-error.ts";
export { VisitLimitError } from "./visit-limit-error.ts";
