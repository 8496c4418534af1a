import type { BaseState } from "../annotation.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { NodeResult } from "../node-definition.ts";
import { resolveSessionName } from "./agent-session.ts";
import type { AgentSettings, AgentWork } from "./agent-settings.ts";
import { askAgent, createSessionConfig, withFeedback } from "./ask-agent.ts";
import { prepareWork } from "./prepare-work.ts";
import { outputOf } from "./tool-node.ts";

/** What every node does that asks an agent. @throws as {@link prepareWork} and {@link askAgent} */
export async function runAgentNode<State extends BaseState, Output, Item, Update>(
  id: string,
  config: AgentSettings<State, Output, Item, Update> & {
    readonly work: AgentWork<State, Item>;
    readonly keepsReply: boolean;
  },
  context: ExecutionContext<State, Item>,
): Promise<NodeResult<State>> {
  const { systemPrompt, outputMapper, outputSchema, maxRepairs, stallTimeoutMs } = config;
  const { message, defaults } = await prepareWork(config.work, context);
  const { state, signal } = context;
  const ownPrompt = typeof systemPrompt === "function" ? systemPrompt(state, context) : systemPrompt;
  const agentType = config.agentType ?? defaults.agentType;
  const sessionConfig = await createSessionConfig(
    {
      agentType,
      title: config.name ?? id,
      systemPrompt: ownPrompt ?? config.sessionConfig?.systemPrompt ?? defaults.systemPrompt,
      model: config.model ?? config.sessionConfig?.model ?? defaults.model,
      tools: config.tools ?? defaults.tools,
      permissions: config.permissions,
      sessionConfig: config.sessionConfig,
    },
    context,
  );
  const sessionName = config.session === undefined ? undefined : resolveSessionName(config.session, context);
  const conversation = { sessionName, outputSchema, maxRepairs, stallTimeoutMs, signal };
  const sandbox = config.sandbox === true ? {} : config.sandbox;
  const task = { agentType, sandbox, sessionConfig, message: withFeedback(message, context), ...conversation };
  const { reply, sessionUpdate, signals } = await askAgent({ ...task, tracksContext: true }, context);
  const update =
    outputMapper === undefined
      ? outputOf<State>(id, reply.structured ?? reply.content)
      : outputMapper(reply, state, context);
  const kept = config.keepsReply && { outputs: { [id]: reply.content, ...update.outputs } };
  const stateUpdate = { ...update, ...kept, ...sessionUpdate };
  return signals.length === 0 ? { stateUpdate } : { stateUpdate, signals };
}
