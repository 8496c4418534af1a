import { AtomicError, type CodingAgentClient, type Session, type SessionConfig } from "../../contracts/index.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { emitAgentEvent } from "./agent-events.ts";

/** A session for a visit of a node. */
export interface OpenedSession {
  readonly session: Session;
  /** An earlier attempt of this visit may have begun the work in it. */
  readonly isResumed: boolean;
}

/** The journal key under which an attempt leaves the vendor's session for the next one. */
const SESSION_KEY = "agent-session";

/** Opens the session that an earlier attempt of this visit left, where the agent still has it, else a new one (E4). */
export async function openSession(
  client: CodingAgentClient,
  { sessionConfig }: { readonly sessionConfig: SessionConfig },
  context: ExecutionContext,
): Promise<OpenedSession> {
  const sessionId = sessionOfEarlierAttempt(client, context);
  const session = sessionId === undefined ? undefined : await reopen(client, sessionId, sessionConfig);
  if (session !== undefined) return { session, isResumed: true };
  return { session: await client.createSession(sessionConfig), isResumed: false };
}

/** The session that the latest earlier attempt of this visit began. */
function sessionOfEarlierAttempt(
  { capabilities }: CodingAgentClient,
  { attempt: current, recall }: ExecutionContext,
): string | undefined {
  if (!capabilities.resume) return undefined;
  for (let attempt = current - 1; attempt >= 1; attempt--) {
    const sessionId = recall(`${SESSION_KEY}:${attempt}`);
    if (typeof sessionId === "string") return sessionId;
  }
  return undefined;
}

/** A session of the vendor's, unless the vendor has lost it. */
async function reopen(
  client: CodingAgentClient,
  sessionId: string,
  sessionConfig: SessionConfig,
): Promise<Session | undefined> {
  try {
    return await client.resumeSession(sessionId, sessionConfig);
  } catch (error) {
    if (error instanceof AtomicError && error.code === "UNKNOWN_SESSION") return undefined;
    throw error;
  }
}

/** Leaves the vendor's session for a later attempt. */
export async function noteSession(
  { session, isResumed }: OpenedSession,
  { agentType }: CodingAgentClient,
  context: ExecutionContext,
): Promise<void> {
  context.emit({ type: "agent-session", agentType, sessionId: session.id, isResumed });
  if (!isResumed) await context.step(`${SESSION_KEY}:${context.attempt}`, () => session.id);
}

/** Passes on what happens in a session, until it is told to stop. */
export function followSession(client: CodingAgentClient, session: Session, context: ExecutionContext): () => void {
  return client.on("*", (event) => {
    if (event.sessionId === session.id) emitAgentEvent(event, context);
  });
}
