import {
  type CodingAgentClient,
  PLAN_MODE_RULE,
  raceAbort,
  type Session,
  type SessionConfig,
} from "../../contracts/index.ts";
import type { ChatEntry } from "./chat-entry.ts";
import { describeConversation } from "./compose-message.ts";

/** Where a side question comes from. */
export interface AsidePlace {
  readonly client: CodingAgentClient;
  readonly config: SessionConfig;
  /** The open session. Undefined before the first message. */
  readonly sessionId: string | undefined;
  readonly entries: readonly ChatEntry[];
  /** Ends the question. */
  readonly signal: AbortSignal;
}

/**
 * Asks in a copy of the conversation that is removed afterwards. It can only read, and nobody approves its calls. An agent
 * that cannot copy a conversation receives it as text.
 *
 * @throws the reason of the signal when it aborts, and what the agent throws
 */
export async function askAside(question: string, place: AsidePlace): Promise<string> {
  const { client, sessionId, entries, signal } = place;
  const { onPermissionAsk: _ask, onQuestion: _question, ...rest } = place.config;
  const { rules = [], ...policy } = rest.permissions ?? {};
  const config: SessionConfig = {
    ...rest,
    // Not every agent has a plan mode.
    permissions: { ...policy, rules: [...rules, PLAN_MODE_RULE] },
    ...(client.capabilities.planMode ? { permissionMode: "plan" } : {}),
  };
  const isCopy = sessionId !== undefined && client.capabilities.fork;
  const opening = isCopy ? client.forkSession(sessionId, config) : client.createSession(config);
  try {
    const session = await raceAbort(opening, signal);
    const context = isCopy ? undefined : describeConversation(entries);
    const { content } = await session.send(context === undefined ? question : `${context}\n\n${question}`, { signal });
    return content;
  } finally {
    // A copy that is still being opened is removed once it is open: nobody waits for it.
    const removal = opening.then((session) => remove(session, client));
    if (signal.aborted) removal.catch(() => undefined);
    else await removal;
  }
}

async function remove(session: Session, client: CodingAgentClient): Promise<void> {
  await session.destroy();
  if (client.capabilities.deleteSession) await client.deleteSession(session.id).catch(() => undefined);
}
