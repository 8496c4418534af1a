export { createAcpClient } from "./acp/acp-client.ts";
export type { AcpOptions } from "./acp/acp-options.ts";
export { ACP_PRESETS, type AcpPreset, type AcpPresetName } from "./acp/acp-presets.ts";
export { findAcpProgram } from "./acp/find-acp-program.ts";
export { type AssertSdkOptions, assertSdk, preloadSdk, type SdkName } from "./assert-sdk.ts";
export { CAPABILITIES } from "./capabilities.ts";
export { createClaudeClient } from "./claude/claude-client.ts";
export { ClaudeEndpointError, type ClaudeOptions } from "./claude/claude-options.ts";
export { type FindClaudeOptions, findClaude } from "./claude/find-claude.ts";
export type { ClientOptions, EndpointModel, ModelEndpoint } from "./client-options.ts";
export { createCopilotClient } from "./copilot/copilot-client.ts";
export type { CopilotOptions } from "./copilot/copilot-options.ts";
export { findCopilot } from "./copilot/find-copilot.ts";
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
export { type FindOpenCodeOptions, findOpenCode } from "./opencode/find-opencode.ts";
export { createOpenCodeClient } from "./opencode/opencode-client.ts";
export type { OpenCodeOptions } from "./opencode/opencode-options.ts";
export { type AdviseOnRuleOptions, adviseOnRule, type RuleAdvice } from "./policy/advise-on-rule.ts";
export {
  type EvaluatePermissionOptions,
  evaluatePermission,
  isOrdinaryReading,
  type PermissionEvaluation,
} from "./policy/evaluate-permission.ts";
export { type CallExplanation, explainCall } from "./policy/explain-call.ts";
export {
  type CommandExplanation,
  explainPermission,
  type PermissionExplanation,
  type RuleExplanation,
} from "./policy/explain-permission.ts";
export { OUTSIDE_FILES, PROTECTED_FILES, type ProtectedFile } from "./policy/protected-files.ts";
export { withRealNames } from "./policy/real-names.ts";
export type { SearchReachOptions } from "./policy/search-reach.ts";
export { firstExecutable, programsOnPath } from "./process/find-program.ts";
export type { RecoveryPolicy } from "./recovery/decide-recovery.ts";
export type { RecoveryClock } from "./recovery/recovered-turn.ts";
export { withRecovery } from "./recovery/with-recovery.ts";
export { checkSandbox } from "./sandbox/check-sandbox.ts";
export {
  type FindSandboxOptions,
  findSandboxPrograms,
  type SandboxPrograms,
} from "./sandbox/find-sandbox-programs.ts";
export { narrowSandbox, type ResolvedSandbox, resolveSandbox } from "./sandbox/resolve-sandbox.ts";
export { runTool, type ToolOutcome } from "./tools/run-tool.ts";
export {
  type OpenedTools,
  type OpenToolsOptions,
  ToolHost,
  type ToolHostOptions,
  ToolHostStoppedError,
} from "./tools/tool-host.ts";
export { type TruncateToolOutputOptions, truncateToolOutput } from "./tools/truncate-tool-output.ts";
