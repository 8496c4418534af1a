import {
  type AgentReply,
  CapabilityMissingError,
  type CodingAgentClient,
  type Session,
  type SessionConfig,
} from "../../contracts/index.ts";
import { given } from "../errors/given.ts";
import type { ClientProvider } from "../model/execution-context.ts";
import type { SubagentSpawnOptions } from "../model/subagent-runner.ts";
import { closeSession, reopen } from "../nodes/agents/agent-session.ts";
import { converse } from "../nodes/agents/converse.ts";
import { findClient } from "../nodes/agents/find-client.ts";
import { limitTools } from "../nodes/agents/limit-tools.ts";
import { abortable } from "../nodes/shared/abortable.ts";
import type { SubagentWork } from "./subagent-work.ts";

/** One conversation, in a session that is closed afterwards. @throws what the client throws; the reason of the signal */
export async function converseInSession(
  clients: ClientProvider,
  options: SubagentSpawnOptions,
  work: SubagentWork,
): Promise<AgentReply> {
  const { signal } = work;
  const { client, session, isResumed, preface } = await openFor(clients, options, signal);
  const stopFollowing = client.on("*", (event) => {
    if (event.sessionId !== session.id) return;
    work.follow(event);
    options.onEvent?.(event);
  });
  try {
    work.opened(session.id);
    await options.onSession?.({ agentType: client.agentType, sessionId: session.id, isResumed });
    const { task: message, outputSchema, maxRepairs, stallTimeoutMs } = options;
    return await converse(session, {
      title: options.agentName,
      message: preface === "" ? message : `${preface}\n\n${message}`,
      isInterrupted: isResumed,
      ...given({ outputSchema, maxRepairs, stallTimeoutMs }),
      signal,
    });
  } finally {
    stopFollowing();
    await closeSession(session, {
      emit: (emission) => {
        if (emission.type === "log") options.onLog?.(emission.message);
      },
    });
  }
}

interface Opened {
  readonly client: CodingAgentClient;
  readonly session: Session;
  readonly isResumed: boolean;
  /** Instructions of the agent's definition that the session does not have; empty if it has them. */
  readonly preface: string;
}

/** Clients take no signal here: a session that opens after an abort is closed again. */
async function openFor(clients: ClientProvider, options: SubagentSpawnOptions, signal: AbortSignal): Promise<Opened> {
  const { agentType, resumeSessionId } = options;
  const config = sessionConfigOf(options);
  const open = async (): Promise<Opened> => {
    const client = await findClient(clients, { agentType, sandbox: undefined });
    signal.throwIfAborted();
    try {
      return { ...(await openWith(client, config, resumeSessionId)), preface: "" };
    } catch (error) {
      const preface = prefaceFor(error, config);
      if (preface === "") throw error;
      signal.throwIfAborted();
      const { systemPrompt: _unsupported, ...others } = config;
      return { ...(await openWith(client, others, resumeSessionId)), preface };
    }
  };
  return await abortable(open, { signal, stop: async (opening) => (await opening).session.destroy() });
}

async function openWith(
  client: CodingAgentClient,
  config: SessionConfig,
  resumeSessionId: string | undefined,
): Promise<Omit<Opened, "preface">> {
  const mayResume = resumeSessionId !== undefined && client.capabilities.resume;
  const resumed = mayResume ? await reopen(client, resumeSessionId, config) : undefined;
  const session = resumed ?? (await client.createSession(config));
  return { client, session, isResumed: resumed !== undefined };
}

/** The instructions to send with the task where an agent, for example over ACP, takes no addition to its system prompt. */
function prefaceFor(error: unknown, { systemPrompt }: SessionConfig): string {
  if (!(error instanceof CapabilityMissingError) || !error.capability.startsWith("appendSystemPrompt")) return "";
  const text = typeof systemPrompt === "string" ? systemPrompt : (systemPrompt?.text ?? "");
  return text === "" ? "" : `Follow these instructions:\n\n${text}\n\nYour task:`;
}

/** A run has limited the tools already, where it passes a session's settings. */
function sessionConfigOf({
  agentName,
  systemPrompt,
  model,
  tools,
  sessionConfig,
}: SubagentSpawnOptions): SessionConfig {
  const permissions = tools !== undefined && sessionConfig === undefined ? limitTools(undefined, tools) : undefined;
  return { title: agentName, ...sessionConfig, ...given({ systemPrompt, model, permissions }) };
}
