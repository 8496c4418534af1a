export type { ChatHost } from "./host/chat-host.ts";
export type { TerminalProcess, TerminalSignal } from "./terminal/terminal-process.ts";
