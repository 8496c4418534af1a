export { type ChatMode, type OpenChatOptions, openChat, preloadChat } from "./app/open-chat.tsx";
export type {
  CommandCategory,
  CommandContext,
  CommandContextState,
  CommandDefinition,
  CommandResult,
  FeatureProgressState,
  McpSnapshotView,
  ModelOperations,
  SpawnedSubagent,
  SpawnSubagentOptions,
  TodoItem,
} from "./commands/command.ts";
export { CommandRegistry } from "./commands/command-registry.ts";
export type { ChatHost, ProjectPath, ShellRun, StoredConversation } from "./host/chat-host.ts";
export type { ChatSettings } from "./host/chat-settings.ts";
export type { HostCommand, HostCommandStart } from "./host/host-command.ts";
export type { HostConnection } from "./host/host-connection.ts";
export type {
  GraphStep,
  InboxItem,
  PermissionAnswer,
  RunDetails,
  RunSummary,
  RunsPort,
  RunTask,
} from "./host/runs-port.ts";
export { findObstacle, readTerminalFacts } from "./terminal/terminal-facts.ts";
export type { TerminalProcess } from "./terminal/terminal-process.ts";
export { parseTheme } from "./theme/parse-theme.ts";
export { darkTheme, lightTheme, type Theme } from "./theme/theme.ts";
