/** A conversation as the scripted agent stores it, even while it has no open session. */
export interface Conversation {
  readonly id: string;
  readonly workingDirectory: string;
  readonly forkedFrom?: string;
  /** Undefined before the first message, unless the session was given one. */
  title: string | undefined;
  /** Milliseconds since 1970. */
  updatedAt: number;
  turnCount: number;
  toolCount: number;
  usedTokens: number;
}

/** Options of a new conversation. */
export type ConversationStart = Pick<Conversation, "id" | "workingDirectory" | "title" | "updatedAt">;

/** A conversation without a turn. */
export function createConversation(start: ConversationStart): Conversation {
  return { ...start, turnCount: 0, toolCount: 0, usedTokens: 0 };
}

/** An independent copy. */
export function forkConversation(original: Conversation, start: ConversationStart): Conversation {
  const { id: forkedFrom, turnCount, toolCount, usedTokens } = original;
  return { ...start, forkedFrom, turnCount, toolCount, usedTokens };
}
