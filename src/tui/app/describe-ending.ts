import type { ChatServices } from "./create-services.ts";

/** What the normal screen shows after the chat: how to continue the conversation. */
export function describeEnding({ chat }: Pick<ChatServices, "chat">): string {
  const { sessionId, agentType, capabilities } = chat.snapshot();
  // Another process cannot continue a scripted conversation.
  if (agentType === "scripted") return "";
  // The agent chose the id, and people paste it into a shell.
  if (sessionId === undefined || capabilities?.resume !== true || !/^[\w.:@+-]+$/.test(sessionId)) return "";
  return `To continue this conversation: atomic --session ${sessionId} --agent ${agentType}\n`;
}
