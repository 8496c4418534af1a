import type { OpencodeClient } from "@opencode-ai/sdk/v2/client";
import { recordOf, stringOf } from "../../../contracts/index.ts";
import type { OpenCodeTurn } from "./opencode-turn.ts";
import { listOf, type OpenCodeEvent, parseMessage } from "./server/opencode-wire.ts";

/** What to read again. */
export interface RereadSessionOptions {
  readonly sdk: OpencodeClient;
  readonly sessionId: string;
  readonly directory: string;
  /** The turn in progress; only what belongs to it is read. */
  readonly turn: OpenCodeTurn;
}

/**
 * Reads what a lost connection may have missed, as events: the messages of the turn, its open requests, and whether it is
 * over. Handling an event twice changes nothing.
 */
export async function rereadSession(options: RereadSessionOptions): Promise<readonly OpenCodeEvent[]> {
  const { sdk, sessionId, directory, turn } = options;
  // The state first: a session that becomes idle later reports it on the new connection.
  const status = await sdk.session.status({ directory }, { throwOnError: true });
  const messages = await sdk.session.messages({ sessionID: sessionId, directory }, { throwOnError: true });
  const permissions = await sdk.permission.list({ directory }, { throwOnError: true });
  const questions = await sdk.question.list({ directory }, { throwOnError: true });
  const state = stringOf(recordOf(recordOf(status.data)[sessionId]).type) || "idle";
  return [
    ...messagesOfTurn(listOf(messages.data), turn).flatMap((message) => messageEvents(message, sessionId)),
    ...askedEvents("permission.asked", permissions.data),
    ...askedEvents("question.asked", questions.data),
    { type: "session.status", properties: { sessionID: sessionId, status: { type: state } } },
  ];
}

/** The messages from the turn's first; if that is unknown yet, from the user's last one, if it is new. */
function messagesOfTurn(messages: readonly unknown[], turn: OpenCodeTurn): readonly unknown[] {
  const parsed = messages.map((message) => parseMessage(recordOf(message).info));
  const first = turn.messages[0] ?? parsed.findLast((message) => message.role === "user")?.id;
  if (first === undefined || turn.earlierMessages.has(first)) return [];
  const index = parsed.findIndex((message) => message.id === first);
  return index === -1 ? [] : messages.slice(index);
}

function messageEvents(message: unknown, sessionID: string): readonly OpenCodeEvent[] {
  const { info, parts } = recordOf(message);
  return [
    { type: "message.updated", properties: { sessionID, info } },
    ...listOf(parts).map((part) => ({ type: "message.part.updated", properties: { sessionID, part } })),
  ];
}

/** The lists contain the requests of all sessions of the folder; each event is routed to its own session. */
function askedEvents(type: string, items: unknown): readonly OpenCodeEvent[] {
  return listOf(items).map((item) => ({ type, properties: recordOf(item) }));
}
