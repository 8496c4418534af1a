export type { ChatHost } from "./host/chat-host.ts";
export type {
  GraphStep,
  InboxItem,
  PermissionAnswer,
  RunDetails,
  RunState,
  RunSummary,
  RunsPort,
  RunTask,
} from "./host/runs-port.ts";
