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
} from "./annotation.ts";
export { GraphBuilder, graph, type LoopConfig, type MapConfig, type ParallelConfig, type Steps } from "./builder.ts";
export { cancelRun } from "./cancel-run.ts";
export type { Checkpointer, JournalEntry, RunJournal, RunMailbox, RunMessage } from "./checkpointer.ts";
export {
  type Answers,
  CompiledGraph,
  type ForkPoint,
  type HistoryOptions,
  type StreamOptions,
} from "./compiled-graph.ts";
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
  ExecutionContext,
  ExecutionError,
  RunServices,
  WorkflowResolver,
} from "./execution-context.ts";
export type { GraphConfig, ResumeOptions, RunOptions, RunResult } from "./graph-config.ts";
export type { RunCheckpoint } from "./history.ts";
export type { JoinStrategy } from "./join-strategy.ts";
export { type MigrateState, StateVersionError } from "./migrate-state.ts";
export type { NodeDefinition, NodeResult, NodeType, RequestSpec, RetryConfig, SignalData } from "./node-definition.ts";
export type { NodeId } from "./node-id.ts";
export { type AgentNodeConfig, agentNode } from "./nodes/agent-node.ts";
export { SessionAgentMismatchError, type SessionName } from "./nodes/agent-session.ts";
export { type AskUserNodeConfig, type AskUserOptions, askUserNode } from "./nodes/ask-user-node.ts";
export { type ClearContextNodeConfig, clearContextNode } from "./nodes/clear-context-node.ts";
export {
  ContextExhaustedError,
  type ContextMonitorNodeConfig,
  type ContextReading,
  type ContextThresholds,
  contextMonitorNode,
} from "./nodes/context-monitor-node.ts";
export { BACKGROUND_COMPACTION_THRESHOLD, BUFFER_EXHAUSTION_THRESHOLD } from "./nodes/context-window.ts";
export {
  type CriteriaLoopConfig,
  type CriteriaLoopState,
  CriteriaOutputError,
  criteriaLoopFields,
  criteriaLoopNode,
} from "./nodes/criteria-loop-node.ts";
export { type DecisionNodeConfig, decisionNode } from "./nodes/decision-node.ts";
export { type ParallelNodeConfig, parallelNode } from "./nodes/parallel-node.ts";
export { type CommandResult, type RunCommandOptions, runCommand } from "./nodes/run-command.ts";
export { type ShellNodeConfig, shellNode } from "./nodes/shell-node.ts";
export {
  type CompiledSubgraph,
  type SubgraphNodeConfig,
  type SubgraphRef,
  subgraphNode,
} from "./nodes/subgraph-node.ts";
export { TaskNotSelectableError, TasksUnfinishedError } from "./nodes/task-loop-errors.ts";
export { type TaskLoopConfig, taskLoopNode } from "./nodes/task-loop-node.ts";
export { type TaskFailure, type TaskLoopState, taskLoopFields, type UnfinishedTask } from "./nodes/task-loop-state.ts";
export { type ToolNodeConfig, toolNode } from "./nodes/tool-node.ts";
export { type WaitConfig, type WaitNodeConfig, waitNode } from "./nodes/wait-node.ts";
export { type NodeSummary, type RunSummary, readRunSummary } from "./run-summary.ts";
export { FileSaver, type FileSaverOptions } from "./savers/file-saver.ts";
export { MemorySaver } from "./savers/memory-saver.ts";
export { ResearchDirSaver, type ResearchDirSaverOptions } from "./savers/research-dir-saver.ts";
export { SessionDirSaver, type SessionDirSaverOptions } from "./savers/session-dir-saver.ts";
export { SqliteSaver, type SqliteSaverOptions } from "./savers/sqlite-saver.ts";
export { selectReadyTasks } from "./select-ready-tasks.ts";
export type { RunBudget } from "./spending.ts";
export type { StandardSchema } from "./standard-schema.ts";
export { type ControlRunOptions, controlRun, type NodeControl, RunControl } from "./steering/run-control.ts";
export type { SteeringCommand } from "./steering/steering-command.ts";
export {
  AmbiguousNodeError,
  NodeCancelledError,
  NodeEndedError,
  NodeNotUnderWayError,
  NodeRestartedError,
  NodeSkippedError,
  RunNotExecutedError,
  SteeringTimeoutError,
} from "./steering/steering-errors.ts";
export type { Task, TaskStatus, TaskStore, UpdateTasksOptions } from "./task-store.ts";
