import type { TurnResult } from "./run-scripted-turn.ts";
import type { SteeringInbox } from "./steering-inbox.ts";
import { TurnQueue } from "./turn-queue.ts";

/** A turn under way. */
export interface RunningTurn {
  readonly abort: (reason: unknown) => void;
  readonly steering: SteeringInbox;
  /** Settles after `turn-end`; rejects only when somebody who listens to events throws. */
  readonly done: Promise<TurnResult>;
}

/** A conversation as the scripted agent keeps it, also while no session is open on it. */
export interface Conversation {
  readonly id: string;
  readonly workingDirectory: string;
  readonly forkedFrom?: string;
  readonly queue: TurnQueue;
  /** Undefined before the first message, unless the session was given one. */
  title: string | undefined;
  /** Milliseconds since 1970. */
  updatedAt: number;
  turnCount: number;
  toolCount: number;
  usedTokens: number;
  running: RunningTurn | undefined;
}

/** What is special about a new conversation. */
export type ConversationStart = Pick<Conversation, "id" | "workingDirectory" | "title" | "updatedAt">;

/** A conversation without a turn. */
export function createConversation(start: ConversationStart): Conversation {
  return { ...start, queue: new TurnQueue(), turnCount: 0, toolCount: 0, usedTokens: 0, running: undefined };
}

/** A copy that goes its own way from now on. */
export function forkConversation(original: Conversation, start: ConversationStart): Conversation {
  const { id: forkedFrom, turnCount, toolCount, usedTokens } = original;
  return { ...createConversation(start), forkedFrom, turnCount, toolCount, usedTokens };
}
