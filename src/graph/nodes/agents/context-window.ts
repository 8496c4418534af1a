import {
  CapabilityMissingError,
  type CodingAgentClient,
  type ContextAction,
  type Session,
  type SessionConfig,
} from "../../../contracts/index.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { AgentSessionRef } from "../../state/annotation.ts";
import { abortable } from "../shared/abortable.ts";
import { assertResumes, closeSession, followSession, reopen } from "./agent-session.ts";
import { findClient } from "./find-client.ts";

/** A stored session, and its client. */
export interface KeptSession {
  readonly client: CodingAgentClient;
  readonly ref: AgentSessionRef;
}

/** @throws MissingServiceError, and what the provider throws */
export async function clientOf(
  ref: AgentSessionRef,
  { services, nodeId }: Pick<ExecutionContext, "services" | "nodeId">,
): Promise<CodingAgentClient> {
  if (services.clients === undefined) throw new MissingServiceError("clients", nodeId);
  return await findClient(services.clients, { agentType: ref.requestedType, sandbox: ref.sandbox });
}

/** How to shorten a session: by a summary if the agent can, else by a new session. */
export function defaultAction({ capabilities }: CodingAgentClient): "summarize" | "recreate" {
  return capabilities.summarize ? "summarize" : "recreate";
}

/** @throws CapabilityMissingError */
export function assertCapable(
  { agentType, capabilities }: CodingAgentClient,
  capability: "summarize" | "contextUsage",
): void {
  if (!capabilities[capability]) throw new CapabilityMissingError(agentType, capability, []);
}

/**
 * Reopens a session while `look` runs; returns `undefined` if the vendor has lost it. Cancelling the node aborts the
 * session.
 *
 * @throws CapabilityMissingError if the agent cannot reopen sessions
 */
export async function visitSession<T>(
  { client, ref }: KeptSession,
  context: ExecutionContext,
  look: (session: Session) => Promise<T>,
): Promise<T | undefined> {
  assertResumes(client);
  const session = await abortable(() => reopen(client, ref.sessionId, sessionConfigOf(ref, context)), {
    signal: context.signal,
    stop: async (opening) => (await opening)?.destroy(),
  });
  if (session === undefined) return undefined;
  const stopFollowing = followSession(client, session, context);
  try {
    return await abortable(() => look(session), { signal: context.signal, stop: () => session.abort() });
  } finally {
    stopFollowing();
    await closeSession(session, context);
  }
}

function sessionConfigOf(
  { model, workingDirectory }: AgentSessionRef,
  { services }: Pick<ExecutionContext, "services">,
): SessionConfig {
  return {
    ...services.sessionConfig,
    ...given({ model, workingDirectory }),
  };
}

/** The signal of a node that acts on a session. */
export function warningOf(session: string, action: ContextAction, usage: number | undefined) {
  return {
    type: "context_window_warning",
    session,
    action,
    ...given({ usage }),
  } as const;
}
