import { mergeToolLists } from "../../../contracts/index.ts";
import type { AgentSettings, AgentWork } from "../../model/agent-settings.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeResult } from "../../model/node-definition.ts";
import type { BaseState } from "../../state/annotation.ts";
import { mapResult } from "../shared/map-result.ts";
import { resolveText } from "../shared/resolve-text.ts";
import { outputOf } from "../tools/tool-node.ts";
import { resolveSessionName } from "./agent-session.ts";
import { askAgent, createSessionConfig, withFeedback } from "./ask-agent.ts";
import { prepareWork } from "./prepare-work.ts";

/** Executes a node that asks an agent. @throws as {@link prepareWork} and {@link askAgent} */
export async function runAgentNode<State extends BaseState, Output, Item, Update>(
  id: string,
  config: AgentSettings<State, Output, Item, Update> & {
    readonly work: AgentWork<State, Item>;
  },
  context: ExecutionContext<State, Item>,
): Promise<NodeResult<State>> {
  const { systemPrompt, outputMapper, outputSchema, maxRepairs, stallTimeoutMs } = config;
  const { message, defaults } = await prepareWork(config, context);
  const { signal } = context;
  const ownPrompt = systemPrompt === undefined ? undefined : resolveText(systemPrompt, context, "systemPrompt");
  const agentType = config.agentType ?? defaults.agentType;
  const sessionConfig = await createSessionConfig(
    {
      agentType,
      title: config.name ?? id,
      systemPrompt: ownPrompt ?? config.sessionConfig?.systemPrompt ?? defaults.systemPrompt,
      model: config.model ?? config.sessionConfig?.model ?? defaults.model,
      tools: mergeToolLists(defaults.tools, config.tools),
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
      : mapResult(outputMapper, reply, context);
  // The type of what the author's function returns is not checked: it may be undefined.
  const kept = context.keepsReply && { outputs: { [id]: reply.content, ...update?.outputs } };
  const stateUpdate = { ...update, ...kept, ...sessionUpdate };
  return signals.length === 0 ? { stateUpdate } : { stateUpdate, signals };
}
