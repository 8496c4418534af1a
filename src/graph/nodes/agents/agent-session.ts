import {
  type AgentEvent,
  AtomicError,
  CapabilityMissingError,
  type CodingAgentClient,
  messageOf,
  type NodeEmission,
  raceAbort,
  type Session,
  type SessionConfig,
} from "../../../contracts/index.ts";
import { immediate } from "../../errors/promise-returned-error.ts";
import type { SessionName } from "../../model/agent-settings.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { SubagentSession } from "../../model/subagent-runner.ts";
import type { AgentSessionRef, BaseState } from "../../state/annotation.ts";

/** Nodes that share a session use different agents. */
export class SessionAgentMismatchError extends AtomicError {
  /** A retry would find the same session. */
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    readonly sessionName: string,
    readonly agentTypes: readonly [ofSession: string, ofNode: string],
  ) {
    super(
      "SESSION_AGENT_MISMATCH",
      `The session "${sessionName}" belongs to the agent "${agentTypes[0]}", but the node "${nodeId}" uses "${agentTypes[1]}". Give all nodes of a session the same agentType, or use different session names.`,
    );
  }
}

/** The name of a session for a visit of a node. */
export function resolveSessionName<State extends BaseState, Item>(
  name: SessionName<State, Item>,
  context: ExecutionContext<State, Item>,
): string {
  return typeof name === "function" ? immediate(name(context.state, context), "session", context.nodeId) : name;
}

/** A session for a visit of a node. */
export interface OpenedSession {
  readonly session: Session;
  readonly isResumed: boolean;
  /** Whether an earlier attempt of this visit may have started the work. */
  readonly isInterrupted: boolean;
}

/** How to open a session. */
export interface OpenSessionOptions {
  readonly sessionConfig: SessionConfig;
  /** Absent for a session of this visit alone. */
  readonly name: string | undefined;
}

/** The journal key under which an attempt stores the vendor's session for the next attempt. */
const SESSION_KEY = "agent-session";

/**
 * Opens the session of an earlier attempt of this visit, else the one stored under the name, else a new one.
 *
 * @throws CapabilityMissingError for a name where the agent cannot reopen sessions; SessionAgentMismatchError
 */
export async function openSession(
  client: CodingAgentClient,
  { sessionConfig, name }: OpenSessionOptions,
  context: ExecutionContext,
): Promise<OpenedSession> {
  if (name !== undefined) assertResumes(client);
  const isInterrupted = context.attempt > 1;
  const earlier = client.capabilities.resume ? sessionOfEarlierAttempt(context) : undefined;
  const sessionId = earlier ?? keptSession(client, name, context);
  const session = sessionId === undefined ? undefined : await reopen(client, sessionId, sessionConfig);
  if (session !== undefined) return { session, isResumed: true, isInterrupted };
  if (sessionId !== undefined && name !== undefined) {
    context.emit({ type: "log", message: `The agent has lost the session "${name}"; starting a new one.` });
  }
  return { session: await client.createSession(sessionConfig), isResumed: false, isInterrupted: false };
}

/** @throws CapabilityMissingError */
export function assertResumes({ agentType, capabilities }: CodingAgentClient): void {
  if (!capabilities.resume) throw new CapabilityMissingError(agentType, "resume", []);
}

/** The session of the latest earlier attempt of this visit. */
export function sessionOfEarlierAttempt({
  attempt: current,
  recall,
}: Pick<ExecutionContext, "attempt" | "recall">): string | undefined {
  for (let attempt = current - 1; attempt >= 1; attempt--) {
    const sessionId = recall(`${SESSION_KEY}:${attempt}`);
    if (typeof sessionId === "string") return sessionId;
  }
  return undefined;
}

function keptSession(
  { agentType }: CodingAgentClient,
  name: string | undefined,
  context: ExecutionContext,
): string | undefined {
  const ref = name === undefined ? undefined : findSession(name, context);
  if (name === undefined || ref === undefined) return undefined;
  if (ref.agentType !== agentType) {
    throw new SessionAgentMismatchError(context.nodeId, name, [ref.agentType, agentType]);
  }
  return ref.sessionId;
}

/** The session that a node of this run stored under a name. A forked run does not use those of its origin. */
export function findSession(name: string, { state, runId }: ExecutionContext): AgentSessionRef | undefined {
  const ref = state.agentSessions?.[name];
  return ref?.runId === runId ? ref : undefined;
}

/** Reopens a vendor's session; `undefined` if the vendor has lost it. */
export async function reopen(
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

/** Journals the vendor's session for a later attempt; of several in one attempt, the first. */
export async function noteSession(
  { agentType, sessionId, isResumed }: SubagentSession,
  context: Pick<ExecutionContext, "attempt" | "emit" | "recall" | "step">,
): Promise<void> {
  context.emit({ type: "agent-session", agentType, sessionId, isResumed });
  const key = `${SESSION_KEY}:${context.attempt}`;
  // The first session of an attempt is the one to continue.
  if (!isResumed && context.recall(key) === undefined) await context.step(key, () => sessionId);
}

/** How long a node waits for its session to close, in milliseconds. */
const CLOSE_TIMEOUT_MS = 30_000;

/** Closes a session. Its result is kept even if closing fails or times out. */
export async function closeSession(
  session: Session,
  { emit }: Pick<ExecutionContext, "emit">,
  { timeoutMs = CLOSE_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Promise<void> {
  try {
    await raceAbort(session.destroy(), AbortSignal.timeout(timeoutMs));
  } catch (error) {
    emit({ type: "log", message: `The agent's session ${session.id} could not be closed: ${messageOf(error)}` });
  }
}

/** Publishes the events of a session. Returns a function that stops it. */
export function followSession(
  client: CodingAgentClient,
  session: Session,
  context: Pick<ExecutionContext, "emit">,
): () => void {
  return client.on("*", (event) => {
    if (event.sessionId === session.id) context.emit(agentEmission(event, client.agentType));
  });
}

/** A node's event of an agent; usage says whose it is. */
export function agentEmission(event: AgentEvent, agentType: string | undefined): NodeEmission {
  return event.type === "usage" && agentType !== undefined
    ? { type: "agent", event, agentType }
    : { type: "agent", event };
}

/** The update that stores a session under a name, or removes it. */
export function keepSession(name: string, ref: AgentSessionRef | null): Pick<BaseState, "agentSessions"> {
  return { agentSessions: { [name]: ref } };
}
