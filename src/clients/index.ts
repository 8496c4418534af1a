export type {
  HookContext,
  HookContextOf,
  HookData,
  HookHandler,
  HookInterceptor,
  HookToolCall,
  UnifiedHookEvent,
} from "./hooks/hook-context.ts";
export { HookManager, type HookManagerOptions } from "./hooks/hook-manager.ts";
export { CAPABILITIES } from "./options/capabilities.ts";
export type { ClientOptions, EndpointModel, ModelEndpoint } from "./options/client-options.ts";
export { type CallExplanation, explainCall } from "./policy/explain-call.ts";
export { type AdviseOnRuleOptions, adviseOnRule, type RuleAdvice } from "./policy/rules/advise-on-rule.ts";
export {
  type EvaluatePermissionOptions,
  evaluatePermission,
  isOrdinaryReading,
  type PermissionEvaluation,
} from "./policy/rules/evaluate-permission.ts";
export {
  type CommandExplanation,
  explainPermission,
  type PermissionExplanation,
  type RuleExplanation,
} from "./policy/rules/explain-permission.ts";
export { OUTSIDE_FILES, PROTECTED_FILES, type ProtectedFile } from "./policy/rules/protected-files.ts";
export { mayOffer } from "./policy/rules/tool-list.ts";
export type { SearchReachOptions } from "./policy/search-reach.ts";
export { type AssertSdkOptions, assertSdk, preloadSdk, type SdkName } from "./process/assert-sdk.ts";
export { isGitRefusal, type RunGitOptions, runGit } from "./process/run-git.ts";
export { checkSandbox } from "./sandbox/check-sandbox.ts";
export {
  type FindSandboxOptions,
  findSandboxPrograms,
  type SandboxPrograms,
} from "./sandbox/find-sandbox-programs.ts";
export { isLoopback, narrowSandbox, type ResolvedSandbox, resolveSandbox } from "./sandbox/resolve-sandbox.ts";
export { runTool, type ToolOutcome } from "./tools/run-tool.ts";
export {
  type OpenedTools,
  type OpenToolsOptions,
  ToolHost,
  type ToolHostOptions,
  ToolHostStoppedError,
} from "./tools/tool-host.ts";
export { type TruncateToolOutputOptions, truncateToolOutput } from "./tools/truncate-tool-output.ts";
export { ForwardingClient } from "./turn/forwarding/forwarding-client.ts";
export type { RecoveryPolicy } from "./turn/recovery/decide-recovery.ts";
export type { RecoveryClock } from "./turn/recovery/recovered-turn.ts";
export { withRecovery } from "./turn/recovery/with-recovery.ts";
export { TurnSlots, type TurnSlotsOptions } from "./turn/slots/turn-slots.ts";
export { withTurnSlots } from "./turn/slots/with-turn-slots.ts";
export { createSchemaValidator, type SchemaValidator } from "./turn/structured/structured-output.ts";
export { PluginHost, type PluginHostOptions, type PluginProgram } from "./user-hooks/plugin-host.ts";
export { HookBlockedError } from "./user-hooks/user-hooks.ts";
export { type WithUserHooksOptions, withUserHooks } from "./user-hooks/with-user-hooks.ts";
export { createAcpClient } from "./vendors/acp/acp-client.ts";
export type { AcpOptions } from "./vendors/acp/program/acp-options.ts";
export { ACP_PRESETS, type AcpPreset, type AcpPresetName } from "./vendors/acp/program/acp-presets.ts";
export { findAcpProgram } from "./vendors/acp/program/find-acp-program.ts";
export { createClaudeClient } from "./vendors/claude/claude-client.ts";
export { ClaudeEndpointError, type ClaudeOptions } from "./vendors/claude/claude-options.ts";
export { type FindClaudeOptions, findClaude } from "./vendors/claude/find-claude.ts";
export { createCopilotClient } from "./vendors/copilot/copilot-client.ts";
export type { CopilotOptions } from "./vendors/copilot/runtime/copilot-options.ts";
export { findCopilot } from "./vendors/copilot/runtime/find-copilot.ts";
export { createOpenCodeClient } from "./vendors/opencode/opencode-client.ts";
export { type FindOpenCodeOptions, findOpenCode } from "./vendors/opencode/server/find-opencode.ts";
export type { OpenCodeOptions } from "./vendors/opencode/server/opencode-options.ts";
