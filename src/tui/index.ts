export type { ChatHost } from "./host/chat-host.ts";
