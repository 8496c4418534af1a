export { AGENT_CAPABILITIES, type AgentCapabilities, type AgentCapability } from "./agent-capabilities.ts";
export type { AgentEvent, AgentEventBody, AgentEventType, TurnOutcome } from "./agent-event.ts";
export { type AgentPrompt, type PromptPart, promptPartsOf, promptTextOf } from "./agent-prompt.ts";
export type {
  AgentQuestion,
  AgentQuestionAnswer,
  AgentQuestionHandler,
  AgentQuestionOption,
} from "./agent-question.ts";
export { assertNever } from "./assert-never.ts";
export { AtomicError, messageOf } from "./atomic-error.ts";
export {
  assertPermissions,
  impossibilitiesOf,
  PERMISSION_EFFECTS,
  PermissionsInvalidError,
  type RuleLimits,
  TOOL_KINDS,
} from "./check-permissions.ts";
export {
  PLAN_MODE_RULE,
  readSessionConfig,
  SESSION_VALUES,
  SessionConfigInvalidError,
} from "./check-session-config.ts";
export {
  AgentCrashedError,
  AgentTooNewError,
  AgentTooOldError,
  AgentTurnError,
  CapabilityMissingError,
  ClientNotInstalledError,
  ContextOverflowError,
  NoTurnRunningError,
  NotSignedInError,
  PermissionGateMissingError,
  RateLimitedError,
  SandboxInvalidError,
  SandboxUnavailableError,
  ServerNotJoinedError,
  SessionBusyError,
  SessionDestroyedError,
  StructuredOutputError,
  TurnStalledError,
  UngatedAgentError,
  UngatedToolCallError,
  UnknownSessionError,
} from "./client-errors.ts";
export type {
  AgentReply,
  AgentType,
  CodingAgentClient,
  ContextUsage,
  ListSessionsOptions,
  ModelDisplayInfo,
  Session,
  SessionInfo,
  TurnOptions,
  Unsubscribe,
} from "./coding-agent-client.ts";
export type { DebugReport } from "./debug-report.ts";
export { describeAgentEvent } from "./describe-agent-event.ts";
export { describeToolInput } from "./describe-tool-input.ts";
export { endsWait, isSameWait, type Waiting, WaitingFilter } from "./describe-waiting.ts";
export type { DiscoveryProblem } from "./discovery-problem.ts";
export type { HumanRequest, RequestOption } from "./human-request.ts";
export type { Json, JsonObject, JsonSchema } from "./json.ts";
export { countOf, filledTexts, isRecord, recordOf, recordsOf, stringOf, type UnknownRecord } from "./json-access.ts";
export { LASTING_ERROR_CODES } from "./lasting-errors.ts";
export type { McpServerConfig, McpServerStatus } from "./mcp-server.ts";
export { nearestName } from "./nearest-name.ts";
export type {
  DeniedPermission,
  PermissionDecision,
  PermissionDetails,
  PermissionEffect,
  PermissionHandler,
  PermissionMemory,
  PermissionPolicy,
  PermissionRequest,
  PermissionRule,
  PermissionSearch,
  TextChange,
  ToolKind,
} from "./permission.ts";
export { permissionKey, permissionSubject } from "./permission-key.ts";
export { raceAbort } from "./race-abort.ts";
export {
  type ContextAction,
  type NodeEmission,
  type RunErrorInfo,
  type RunEvent,
  type RunStatus,
  spentUsage,
  type TaskProgress,
} from "./run-event.ts";
export type { SandboxConfig } from "./sandbox-config.ts";
export type { PermissionMode, ReasoningEffort, SessionConfig, SystemPrompt } from "./session-config.ts";
export {
  BudgetSpentError,
  CostUnknownError,
  isLimitError,
  MaxTurnsReachedError,
  SessionLimits,
  type SessionLimitsOptions,
} from "./session-limits.ts";
export type { ToolContext, ToolDefinition, WorkflowToolContext } from "./tool-definition.ts";
export type { InterceptedToolCall, ToolInterceptor, ToolVerdict } from "./tool-interceptor.ts";
export { isToolName, TOOL_NAMES, type ToolName } from "./tool-name.ts";
export { addUsage, NO_USAGE, type Usage } from "./usage.ts";
export type { WorkflowMetadata, WorkflowSource } from "./workflow-metadata.ts";
