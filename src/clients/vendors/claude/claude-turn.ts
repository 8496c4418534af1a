import { type AtomicError, recordOf, stringOf, type UnknownRecord } from "../../../contracts/index.ts";
import { type ApiRetry, hopelessError, parseApiRetry } from "./claude-errors.ts";

/** The progress of a turn according to Claude Code's messages. */
export interface ClaudeTurn {
  /** The ids of the user's messages that Claude Code has not answered yet. */
  readonly unanswered: readonly string[];
  /** The ids of all the user's messages in this turn. */
  readonly messageIds: readonly string[];
  /** The `result` that ended the turn. */
  readonly result?: UnknownRecord;
  /** Claude Code's kind of the provider's error, for example `rate_limit`. */
  readonly errorKind?: string;
  /** The failed attempt that Claude Code is about to retry. */
  readonly retry?: ApiRetry & { readonly retryAt: number };
  /** When the user's limit ends, in milliseconds since 1970. */
  readonly limitResetsAt?: number;
  /** Why the turn must be stopped. */
  readonly hopeless?: AtomicError;
}

/** A turn that starts with one message. */
export function startClaudeTurn(messageId: string): ClaudeTurn {
  return { unanswered: [messageId], messageIds: [messageId] };
}

/** The turn with an added message, which may be answered together with the others or after them. */
export function addMessage(turn: ClaudeTurn, messageId: string): ClaudeTurn {
  return { ...turn, unanswered: [...turn.unanswered, messageId], messageIds: [...turn.messageIds, messageId] };
}

/**
 * The turn after one more message from Claude Code. Pure. Must not throw for any message.
 *
 * 1. A turn ends with the `result` that answers the last of its messages.
 * 2. A `result` that names only messages of another turn does not belong to this one.
 */
export function advanceClaudeTurn(turn: ClaudeTurn, raw: unknown, now: number): ClaudeTurn {
  if (turn.result !== undefined) return turn;
  const message = recordOf(raw);
  switch (message.type) {
    case "result":
      return takeResult(turn, message);
    case "command_lifecycle": {
      const cancelled = cancelledMessageOf(message);
      return cancelled === undefined ? turn : answered(turn, [cancelled]);
    }
    case "assistant":
      if (typeof message.parent_tool_use_id === "string") return turn;
      return typeof message.error === "string" ? { ...turn, errorKind: message.error } : withoutRetry(turn);
    case "system":
      return message.subtype === "api_retry" ? takeRetry(turn, message, now) : turn;
    case "rate_limit_event":
      return takeLimit(turn, recordOf(message.rate_limit_info));
    default:
      return turn;
  }
}

/** The id of the user's message that Claude Code says it will not read. */
export function cancelledMessageOf(raw: unknown): string | undefined {
  const { type, state, command_uuid: id } = recordOf(raw);
  return type === "command_lifecycle" && state === "cancelled" ? stringOf(id) : undefined;
}

function takeResult(turn: ClaudeTurn, result: UnknownRecord): ClaudeTurn {
  const named = idsOf(result);
  if (named.length === 0) return { ...turn, unanswered: [], result };
  if (!named.some((id) => turn.messageIds.includes(id))) return turn;
  const next = answered(turn, named);
  return next.unanswered.length > 0 ? next : { ...next, result };
}

/** Older versions name one message, or none. */
function idsOf(result: UnknownRecord): readonly string[] {
  if (Array.isArray(result.user_message_uuids)) return result.user_message_uuids.map(stringOf);
  const id = stringOf(result.user_message_uuid);
  return id === "" ? [] : [id];
}

function answered(turn: ClaudeTurn, ids: readonly string[]): ClaudeTurn {
  return { ...turn, unanswered: turn.unanswered.filter((id) => !ids.includes(id)) };
}

function withoutRetry(turn: ClaudeTurn): ClaudeTurn {
  const { retry: _, ...rest } = turn;
  return rest;
}

function takeRetry(turn: ClaudeTurn, message: UnknownRecord, now: number): ClaudeTurn {
  const retry = parseApiRetry(message);
  const hopeless = hopelessError(retry);
  return {
    ...turn,
    retry: { ...retry, retryAt: now + retry.delayMs },
    ...(hopeless === undefined ? {} : { hopeless }),
  };
}

/** Claude Code reports the time in seconds. */
function takeLimit(turn: ClaudeTurn, { status, resetsAt }: UnknownRecord): ClaudeTurn {
  if (status !== "rejected" || typeof resetsAt !== "number") return turn;
  return { ...turn, limitResetsAt: resetsAt < 1e12 ? resetsAt * 1000 : resetsAt };
}
