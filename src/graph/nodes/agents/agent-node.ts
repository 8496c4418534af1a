import { given } from "../../errors/given.ts";
import {
  AGENT_ADVICE,
  AGENT_OPTIONS,
  type AgentSettings,
  type AgentWork,
  type MessageBuilder,
} from "../../model/agent-settings.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { agentUses, type NodeUse } from "../../model/node-use.ts";
import type { OptionAdvice } from "../../options/find-option-problems.ts";
import { insteadOf, isObject, required, someText, textOrFunction } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";
import { AGENT_RETRY } from "../shared/agent-retry.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import { runAgentNode } from "./run-agent-node.ts";

/** Settings of an {@link agentNode}. */
export interface AgentNodeConfig<State extends BaseState, Output = unknown, Item = unknown, Update = unknown>
  extends AgentSettings<State, Output, Item, Update> {
  readonly id: string;
  /** Absent; the config of a named agent is a {@link NamedAgentNodeConfig}. */
  readonly agent?: undefined;
  /** What to ask the agent. */
  readonly buildMessage: MessageBuilder<State, Item>;
}

/** Settings of an {@link agentNode} whose agent has a name. */
export interface NamedAgentNodeConfig<State extends BaseState, Output = unknown, Item = unknown, Update = unknown>
  extends AgentSettings<State, Output, Item, Update> {
  /** @default `agent-` and the agent's name */
  readonly id?: string;
  /** The name of a definition in the run's `agents`. Its system prompt, model and tools are the defaults of this node. */
  readonly agent: string;
  /** What to ask the agent. @default to do what its system prompt says */
  readonly buildMessage?: MessageBuilder<State, Item>;
  /** Another name of {@link buildMessage}; give one of them. */
  readonly prompt?: MessageBuilder<State, Item>;
}

/** Options of sub-agents alone. */
const OF_SUBAGENTS = [
  "fallbackAgents",
  "isolation",
  "onLimit",
  "verify",
  "worktreeBranch",
  "worktreeName",
  "worktreeSetup",
];

const ADVICE: OptionAdvice = {
  ...AGENT_ADVICE,
  ...Object.fromEntries(OF_SUBAGENTS.map((name) => [name, ["only sub-agents take it: use subagentNode"]] as const)),
  message: ['did you mean "buildMessage"?', "buildMessage"],
};

const ABOUT_AGENT_NODE = {
  name: "agentNode",
  advice: ADVICE,
  positionalAdvice: "the client comes from the run's services",
};

export const AGENT_NODE: NodeFactory<
  Omit<AgentNodeConfig<BaseState>, "agent"> & Pick<Partial<NamedAgentNodeConfig<BaseState>>, "agent">
> = {
  ...ABOUT_AGENT_NODE,
  options: {
    ...AGENT_OPTIONS,
    id: required(someText),
    buildMessage: required(textOrFunction, "give it the text to send, or a function of the state that makes it"),
    // A config with an agent belongs to the other kind of node.
    agent: someText,
  },
  advice: { ...ADVICE, prompt: ["write buildMessage, or name an agent", "buildMessage"] },
  others: ["prompt"],
};

export const NAMED_AGENT_NODE: NodeFactory<NamedAgentNodeConfig<BaseState>> = {
  ...ABOUT_AGENT_NODE,
  options: {
    ...AGENT_OPTIONS,
    id: someText,
    agent: required(someText),
    buildMessage: textOrFunction,
    prompt: insteadOf("buildMessage", textOrFunction),
  },
  advice: { ...ADVICE, agentName: ['did you mean "agent"?', "agent"] },
};

/**
 * A node that sends a task to a coding agent. After a crash or a failure it reopens the agent's session, if the agent can,
 * and asks it to finish instead of starting over (E4). Each visit has its own session, unless `session` names one.
 *
 * ```ts
 * agentNode({
 *   id: "plan",
 *   buildMessage: (state) => `Plan the work for: ${state.topic}`,
 *   outputMapper: (reply) => ({ plan: reply.content }),
 * });
 * agentNode({ agent: "reviewer", prompt: (state) => `Review this: ${state.plan}` });
 * ```
 */
export function agentNode<State extends BaseState, Output = unknown, Item = unknown, Update = unknown>(
  config: NamedAgentNodeConfig<State, Output, Item, Update> | AgentNodeConfig<State, Output, Item, Update>,
): NodeDefinition<State, Item> {
  return hasAgent(config)
    ? defineNode(NAMED_AGENT_NODE, config, makeNamedAgentNode<State, Output, Item, Update>)
    : defineNode(AGENT_NODE, config, makeAgentNode<State, Output, Item, Update>);
}

function hasAgent<State extends BaseState, Output, Item, Update>(
  config: NamedAgentNodeConfig<State, Output, Item, Update> | AgentNodeConfig<State, Output, Item, Update>,
): config is NamedAgentNodeConfig<State, Output, Item, Update> {
  // The second is what other nodes call it, so it was meant.
  return isObject(config) && (("agent" in config && config.agent !== undefined) || "agentName" in config);
}

function makeAgentNode<State extends BaseState, Output, Item, Update>(
  config: AgentNodeConfig<State, Output, Item, Update>,
): NodeDefinition<State, Item> {
  const { id, buildMessage: message } = config;
  return defineAgentNode(id, config, { type: "message", message, agent: undefined });
}

function makeNamedAgentNode<State extends BaseState, Output, Item, Update>(
  config: NamedAgentNodeConfig<State, Output, Item, Update>,
): NodeDefinition<State, Item> {
  const { agent, id = nameNode("agent", agent), prompt, buildMessage: message = prompt ?? DEFAULT_MESSAGE } = config;
  return defineAgentNode(id, config, { type: "message", message, agent });
}

/** The message of a named agent without one: its definition says what to do. */
const DEFAULT_MESSAGE = "Do what your instructions say.";

/** Creates the node of every factory that asks an agent. */
export function defineAgentNode<State extends BaseState, Output, Item, Update>(
  id: string,
  config: AgentSettings<State, Output, Item, Update>,
  work: AgentWork<State, Item>,
): NodeDefinition<State, Item> {
  const model = config.model ?? config.sessionConfig?.model;
  return {
    id,
    type: "agent",
    ...THROUGH_SERVICES,
    ...given({
      name: config.name,
      description: config.description,
      title: config.title,
      model,
      timeoutMs: config.timeout,
    }),
    retry: { ...AGENT_RETRY, ...config.retry },
    keepsReply: false,
    uses: [
      ...agentUses({ ...config, agent: work.agent }),
      ...(work.type === "message" || work.name === "" ? [] : [promptUse(work)]),
    ],
    async execute(context) {
      return await runAgentNode(id, { ...config, work }, context);
    },
  };
}

function promptUse<State extends BaseState, Item>({
  kind,
  name,
  args,
}: Extract<AgentWork<State, Item>, { readonly type: "prompt" }>): NodeUse {
  return { kind, name, ...(typeof args === "string" ? { args } : {}) };
}

/** The default id of a node: its kind and the name it refers to, without reserved characters. Empty without a name. */
export function nameNode(kind: string, name: string | undefined): string {
  return name === undefined ? "" : `${kind}-${name.replace(/[[\]#/]/g, "-")}`;
}
