import type { StoredConversation } from "../../tui/index.ts";
import type { ChatFlags } from "./chat-flags.ts";

/** The conversation that the options continue. */
export interface ContinuedConversation {
  readonly sessionId: string;
  /** Undefined where only the agent knows the conversation. */
  readonly agentType?: string;
}

/**
 * The conversation of `--session`, or with `--continue` the newest one. With `--agent`, only those of that agent count. Pure.
 *
 * @param stored the newest first
 */
export function findConversation(
  { session, agent, continue: isContinued = false }: ChatFlags,
  stored: readonly StoredConversation[],
): ContinuedConversation | undefined {
  const [known] = stored.filter(
    ({ sessionId, agentType }) =>
      // Another process cannot continue a scripted conversation.
      (session === undefined ? agentType !== "scripted" : sessionId === session) &&
      (agent === undefined || agentType === agent),
  );
  if (session !== undefined) {
    const agentType = agent ?? known?.agentType;
    return { sessionId: session, ...(agentType === undefined ? {} : { agentType }) };
  }
  return isContinued && known !== undefined ? { sessionId: known.sessionId, agentType: known.agentType } : undefined;
}
