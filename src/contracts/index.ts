export type { AgentEvent, AgentEventType, TurnOutcome } from "./agent-event.ts";
export { assertNever } from "./assert-never.ts";
export { AtomicError, messageOf } from "./atomic-error.ts";
export {
  AgentCrashedError,
  AgentTurnError,
  CapabilityMissingError,
  ClientNotInstalledError,
  ContextOverflowError,
  NotSignedInError,
  RateLimitedError,
  SessionBusyError,
  StructuredOutputError,
  TurnStalledError,
  UnknownSessionError,
} from "./client-errors.ts";
export type {
  AgentCapabilities,
  AgentReply,
  AgentType,
  CodingAgentClient,
  ContextUsage,
  ModelDisplayInfo,
  Session,
  SessionConfig,
  TurnOptions,
  Unsubscribe,
} from "./coding-agent-client.ts";
export type { DebugReport } from "./debug-report.ts";
export type { DiscoveryProblem } from "./discovery-problem.ts";
export type { HumanRequest, RequestOption } from "./human-request.ts";
export type { Json, JsonObject, JsonSchema } from "./json.ts";
export { isRecord, recordOf, recordsOf, stringOf, type UnknownRecord } from "./json-access.ts";
export { nearestName } from "./nearest-name.ts";
export type {
  DeniedPermission,
  PermissionDecision,
  PermissionEffect,
  PermissionHandler,
  PermissionPolicy,
  PermissionRequest,
  PermissionRule,
  ToolKind,
} from "./permission.ts";
export type { ContextAction, NodeEmission, RunErrorInfo, RunEvent, RunStatus, TaskProgress } from "./run-event.ts";
export { superviseCommand } from "./supervised-command.ts";
export type { ToolContext, ToolDefinition, WorkflowToolContext } from "./tool-definition.ts";
export { addUsage, NO_USAGE, type Usage } from "./usage.ts";
export type { WorkflowMetadata, WorkflowSource } from "./workflow-metadata.ts";
