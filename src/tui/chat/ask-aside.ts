import { type CodingAgentClient, PLAN_MODE_RULE, type SessionConfig } from "../../contracts/index.ts";
import type { ChatEntry } from "./chat-entry.ts";
import { describeConversation } from "./compose-message.ts";

/** Where a side question comes from. */
export interface AsidePlace {
  readonly client: CodingAgentClient;
  readonly config: SessionConfig;
  /** The open session. Undefined before the first message. */
  readonly sessionId: string | undefined;
  readonly entries: readonly ChatEntry[];
}

/**
 * Asks in a copy of the conversation that is removed afterwards. It can only read, and nobody approves its calls. An agent
 * that cannot copy a conversation receives it as text.
 */
export async function askAside(question: string, place: AsidePlace): Promise<string> {
  const { client, sessionId, entries } = place;
  const { onPermissionAsk: _ask, onQuestion: _question, ...rest } = place.config;
  const { rules = [], ...policy } = rest.permissions ?? {};
  const config: SessionConfig = {
    ...rest,
    // Not every agent has a plan mode.
    permissions: { ...policy, rules: [...rules, PLAN_MODE_RULE] },
    ...(client.capabilities.planMode ? { permissionMode: "plan" } : {}),
  };
  const isCopy = sessionId !== undefined && client.capabilities.fork;
  const session = isCopy ? await client.forkSession(sessionId, config) : await client.createSession(config);
  try {
    const context = isCopy ? undefined : describeConversation(entries);
    const { content } = await session.send(context === undefined ? question : `${context}\n\n${question}`);
    return content;
  } finally {
    await session.destroy();
    if (client.capabilities.deleteSession) await client.deleteSession(session.id).catch(() => undefined);
  }
}
