import { recordOf, stringOf } from "../../../contracts/index.ts";
import { type OpenCodeEvent, parseMessage, sessionIdOf } from "./server/opencode-wire.ts";

/**
 * How far OpenCode is with a turn.
 *
 * 1. Nothing counts before a new message of the user (`sent`): after an abort or an error OpenCode repeats `session.idle`
 *    and `session.error`, and those of the turn before may still arrive.
 * 2. An idle session means nothing before the work has begun (`accepted`): aborting an idle session also produces
 *    `session.idle`.
 * 3. The turn has ended when the session is idle and either its answer is complete or its error is known. An idle session
 *    with neither is `settling`: the rest may follow at once, or never.
 * 4. A message added during the turn (`expectMessage`) keeps an idle session `settling` until the message has arrived; the
 *    turn then waits for its answer, too.
 */
export type TurnPhase = "sent" | "accepted" | "running" | "settling" | "ended";

/** What is known about a turn. */
export interface OpenCodeTurn {
  readonly sessionId: string;
  readonly phase: TurnPhase;
  /** The ids of all messages of earlier turns. */
  readonly earlierMessages: ReadonlySet<string>;
  /** The user's messages of this turn; a compaction adds one. */
  readonly messages: readonly string[];
  readonly isAnswerComplete: boolean;
  /** How many messages were added during the turn and have not arrived yet. */
  readonly expectedMessages: number;
  /** The vendor's error, unparsed. */
  readonly error?: unknown;
  /** An error that came before any message; real only if no message follows. */
  readonly earlyError?: unknown;
  readonly structured?: unknown;
  /** The provider's last message while OpenCode retries; absent when it does not. */
  readonly retry?: { readonly message: string; readonly nextAt: number };
}

/** A turn whose message is about to be sent. */
export function startTurn(sessionId: string, earlierMessages: ReadonlySet<string>): OpenCodeTurn {
  return { sessionId, phase: "sent", earlierMessages, messages: [], isAnswerComplete: false, expectedMessages: 0 };
}

/** The turn to which a message is about to be added. Pure. */
export function expectMessage(turn: OpenCodeTurn): OpenCodeTurn {
  return { ...turn, expectedMessages: turn.expectedMessages + 1 };
}

/** The turn to which a message could not be added. Pure. */
export function expectNoMessage(turn: OpenCodeTurn): OpenCodeTurn {
  return { ...turn, expectedMessages: Math.max(0, turn.expectedMessages - 1) };
}

/** The turn after an event. Events of other sessions, sub-agents included, change nothing. Pure. */
export function advanceTurn(turn: OpenCodeTurn, event: OpenCodeEvent): OpenCodeTurn {
  if (turn.phase === "ended" || sessionIdOf(event) !== turn.sessionId) return turn;
  switch (event.type) {
    case "message.updated":
      return advanceByMessage(turn, event);
    case "session.error":
      return advanceByError(turn, event.properties.error);
    case "session.status":
      return advanceByStatus(turn, event);
    case "session.idle":
      return becomeIdle(turn);
    case "message.part.delta":
    case "message.part.updated": {
      if (turn.retry === undefined) return turn;
      const { retry: _over, ...rest } = turn;
      return rest;
    }
    default:
      return turn;
  }
}

function advanceByMessage(turn: OpenCodeTurn, event: OpenCodeEvent): OpenCodeTurn {
  const message = parseMessage(event.properties.info);
  if (message.role === "user") {
    // Invariant 1.
    if (turn.earlierMessages.has(message.id) || turn.messages.includes(message.id)) return turn;
    const messages = [...turn.messages, message.id];
    if (turn.phase === "sent") return { ...turn, phase: "accepted", messages };
    // Invariant 4. OpenCode starts to work again if the message arrived after it had become idle.
    const phase = turn.phase === "settling" ? "accepted" : turn.phase;
    return { ...expectNoMessage(turn), phase, messages, isAnswerComplete: false };
  }
  if (message.parentId === undefined || !turn.messages.includes(message.parentId)) return turn;
  return {
    ...turn,
    phase: turn.phase === "accepted" ? "running" : turn.phase,
    isAnswerComplete: message.isComplete,
    ...(turn.error === undefined && message.error !== undefined ? { error: message.error } : {}),
    ...(message.structured === undefined ? {} : { structured: message.structured }),
  };
}

function advanceByError(turn: OpenCodeTurn, error: unknown): OpenCodeTurn {
  if (turn.phase === "sent") return { ...turn, earlyError: error };
  return { ...turn, phase: turn.phase === "accepted" ? "running" : turn.phase, error: turn.error ?? error };
}

function advanceByStatus(turn: OpenCodeTurn, event: OpenCodeEvent): OpenCodeTurn {
  const status = recordOf(event.properties.status);
  if (turn.phase === "sent") return turn;
  switch (status.type) {
    case "busy":
      return { ...turn, phase: "running" };
    case "retry": {
      const nextAt = typeof status.next === "number" ? status.next : 0;
      return { ...turn, phase: "running", retry: { message: stringOf(status.message), nextAt } };
    }
    case "idle":
      return becomeIdle(turn);
    default:
      return turn;
  }
}

/** Invariants 2 to 4. */
function becomeIdle(turn: OpenCodeTurn): OpenCodeTurn {
  if (turn.phase === "sent" || turn.phase === "accepted") return turn;
  const isOver = (turn.isAnswerComplete && turn.expectedMessages === 0) || turn.error !== undefined;
  return { ...turn, phase: isOver ? "ended" : "settling" };
}
