import type { AgentReply, CodingAgentClient, Session, SessionConfig } from "../../contracts/index.ts";
import { given } from "../errors/given.ts";
import type { ClientProvider } from "../model/execution-context.ts";
import type { SubagentSpawnOptions } from "../model/subagent-runner.ts";
import { closeSession, reopen } from "../nodes/agents/agent-session.ts";
import { converse } from "../nodes/agents/converse.ts";
import { findClient } from "../nodes/agents/find-client.ts";
import { limitTools } from "../nodes/agents/limit-tools.ts";
import { withInstructions } from "../nodes/agents/with-instructions.ts";
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
    const { task: message, outputSchema, maxRepairs, stallTimeoutMs, stopTimeout, onMessage } = options;
    return await converse(session, {
      title: options.agentName,
      message: `${preface}${message}`,
      isInterrupted: isResumed,
      ...given({ outputSchema, maxRepairs, stallTimeoutMs, stopTimeout, onMessage }),
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
  /** See {@link withInstructions}. */
  readonly preface: string;
}

/** Clients take no signal here: a session that opens after an abort is closed again. */
async function openFor(clients: ClientProvider, options: SubagentSpawnOptions, signal: AbortSignal): Promise<Opened> {
  const { agentType, resumeSessionId, runId, agentId: taskId } = options;
  const visit = runId === undefined ? undefined : { runId, taskId };
  const config = sessionConfigOf(options);
  const open = async (): Promise<Opened> => {
    const client = await findClient(clients, { agentType, sandbox: undefined, visit });
    signal.throwIfAborted();
    const mayResume = resumeSessionId !== undefined && client.capabilities.resume;
    const { opened, preface } = await withInstructions(config, async (taken) => {
      const resumed = mayResume ? await reopen(client, resumeSessionId, taken) : undefined;
      return { session: resumed ?? (await client.createSession(taken)), isResumed: resumed !== undefined };
    });
    return { client, ...opened, preface };
  };
  return await abortable(open, { signal, stop: async (opening) => (await opening).session.destroy() });
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
