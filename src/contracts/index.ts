export { AGENT_CAPABILITIES, type AgentCapabilities, type AgentCapability } from "./agents/agent-capabilities.ts";
export type { AgentEvent, AgentEventBody, AgentEventType, TurnOutcome } from "./agents/agent-event.ts";
export { type AgentPrompt, mentionOf, type PromptPart, promptPartsOf, promptTextOf } from "./agents/agent-prompt.ts";
export type {
  AgentQuestion,
  AgentQuestionAnswer,
  AgentQuestionHandler,
  AgentQuestionOption,
} from "./agents/agent-question.ts";
export {
  PLAN_MODE_RULE,
  readSessionConfig,
  SESSION_VALUES,
  SessionConfigInvalidError,
} from "./agents/check-session-config.ts";
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
} from "./agents/coding-agent-client.ts";
export { describeAgentEvent } from "./agents/describe-agent-event.ts";
export { describeWaiting, endsWait, isSameWait, type Waiting, WaitingFilter } from "./agents/describe-waiting.ts";
export type { SandboxConfig } from "./agents/sandbox-config.ts";
export type { PermissionMode, ReasoningEffort, SessionConfig, SystemPrompt } from "./agents/session-config.ts";
export {
  BudgetSpentError,
  CostUnknownError,
  isLimitError,
  MaxTurnsReachedError,
  SessionLimits,
  type SessionLimitsOptions,
} from "./agents/session-limits.ts";
export { addUsage, NO_USAGE, type Usage, type UsageByAgent } from "./agents/usage.ts";
export { assertNever } from "./assert-never.ts";
export { AtomicError } from "./errors/atomic-error.ts";
export {
  AgentConfigInvalidError,
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
} from "./errors/client-errors.ts";
export { LASTING_ERROR_CODES } from "./errors/lasting-errors.ts";
export { listKnownNames } from "./errors/list-known-names.ts";
export { nearestName } from "./errors/nearest-name.ts";
export {
  causesOf,
  messageOf,
  messageWithCauses,
  namedMessageOf,
  namedMessageWithCauses,
  toError,
} from "./errors/thrown-value.ts";
export { findDeepNesting, MAX_JSON_DEPTH } from "./json/find-deep-nesting.ts";
export type { Json, JsonObject, JsonSchema } from "./json/json.ts";
export {
  countOf,
  filledTexts,
  isListOf,
  isRecord,
  isText,
  recordOf,
  recordsOf,
  stringOf,
  type UnknownRecord,
} from "./json/json-access.ts";
export {
  assertPermissions,
  impossibilitiesOf,
  PERMISSION_EFFECTS,
  PermissionsInvalidError,
  type RuleLimits,
  TOOL_KINDS,
} from "./permissions/check-permissions.ts";
export { expandBraces, readBraces } from "./permissions/glob-braces.ts";
export { isSecretName } from "./permissions/is-secret-name.ts";
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
  TextPlace,
  ToolKind,
} from "./permissions/permission.ts";
export { permissionKey, permissionSubject } from "./permissions/permission-key.ts";
export { quoteForShell } from "./quote-for-shell.ts";
export { raceAbort } from "./race-abort.ts";
export type { DiscoveryProblem } from "./runs/discovery-problem.ts";
export type { HumanRequest, RequestOption } from "./runs/human-request.ts";
export type { ImportScope } from "./runs/import-scope.ts";
export { NOTIFICATION_EVENTS } from "./runs/notification-events.ts";
export { type CommandInput, parseCommandInput } from "./runs/parse-command-input.ts";
export { RedactedAgentEvents, RedactedRunEvents } from "./runs/redacted-events.ts";
export {
  type ContextAction,
  type DebugReport,
  endsVisit,
  isVisitWithin,
  type NodeEmission,
  type RunErrorInfo,
  type RunEvent,
  type RunStatus,
  spentUsage,
  type TaskProgress,
} from "./runs/run-event.ts";
export { type ScriptLimits, scriptLimitsFor } from "./runs/script-limits.ts";
export { SCRIPT_EFFORTS, SCRIPT_OPTIONS } from "./runs/script-options.ts";
export type {
  SpanAttributes,
  SpanContext,
  SpanLink,
  SpanStart,
  TelemetryPort,
  TelemetrySpan,
} from "./runs/telemetry-port.ts";
export { withoutExport } from "./runs/without-export.ts";
export type { WorkflowInput } from "./runs/workflow-input.ts";
export type { WorkflowMetadata, WorkflowSource } from "./runs/workflow-metadata.ts";
export { labelOf } from "./secrets/label.ts";
export { redactParts } from "./secrets/redact-parts.ts";
export { createRedactor, noRedaction, type Redactor, type RedactorOptions, redactFields } from "./secrets/redactor.ts";
export { OWN_SECRET_PREFIX } from "./secrets/secret-shapes.ts";
export { type KnownSecret, namesSecret, secretsOfEnvironment, secretsOfSettings } from "./secrets/secret-values.ts";
export { describeToolInput } from "./tools/describe-tool-input.ts";
export { findMisspelledTools, type MisspelledTool } from "./tools/find-misspelled-tools.ts";
export { isToolEntry } from "./tools/is-tool-entry.ts";
export type { McpServerConfig, McpServerStatus } from "./tools/mcp-server.ts";
export { mergeToolLists } from "./tools/merge-tool-lists.ts";
export type { ToolContext, ToolDefinition, ToolEntry, WorkflowToolContext } from "./tools/tool-definition.ts";
export type { InterceptedToolCall, ToolInterceptor, ToolVerdict } from "./tools/tool-interceptor.ts";
export { isBuiltInTool, isToolWord, meaningsOf, VENDOR_TOOLS } from "./tools/tool-meanings.ts";
export { isToolName, TOOL_NAMES, type ToolName } from "./tools/tool-name.ts";
export {
  CLAUDE_HOOK_EVENTS,
  type ClaudeHookEvent,
  COPILOT_HOOK_EVENTS,
  type CopilotHookEvent,
  type HookCommand,
  type HookPlugin,
  type HookShape,
  type HookVendor,
  OTHER_CLAUDE_HOOK_EVENTS,
  PLUGIN_HOOKS,
  type PluginHook,
  type UserHook,
} from "./tools/user-hook.ts";
export { withResolvers } from "./with-resolvers.ts";
