import type { AgentReply, PermissionPolicy, SessionConfig } from "../../contracts/index.ts";
import type { BaseState } from "../annotation.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { NodeDefinition, RetryConfig } from "../node-definition.ts";
import type { StandardSchema } from "../standard-schema.ts";
import { AGENT_RETRY } from "./agent-retry.ts";
import { resolveSessionName, type SessionName } from "./agent-session.ts";
import { askAgent, createSessionConfig, withFeedback } from "./ask-agent.ts";
import { type AgentDefaults, defaultsOf, findAgent } from "./named-agent.ts";
import { outputOf } from "./tool-node.ts";

/** What a message is made of. */
export type MessageBuilder<State extends BaseState> =
  | string
  | ((state: Readonly<State>, context: ExecutionContext<State>) => string);

/** The settings that all nodes share which ask an agent. What is set here wins over the definitions that are named. */
export interface AgentSettings<State extends BaseState, Output = unknown> {
  readonly name?: string;
  readonly description?: string;
  /** What a visit is about, for people; shown instead of the name. */
  readonly title?: (state: Readonly<State>) => string;
  /** Which vendor's agent. @default that of the definition, else the one the run was started with */
  readonly agentType?: string;
  /** Added to the agent's own system prompt. */
  readonly systemPrompt?: string | ((state: Readonly<State>) => string);
  readonly model?: string;
  /** The only tools the agent may use, by name; the permissions decide about their calls. @default all */
  readonly tools?: readonly string[];
  /** Other settings of the session; `systemPrompt` and `model` above win over the ones in here. */
  readonly sessionConfig?: SessionConfig;
  /**
   * The name of a session that goes on over several nodes, or visits of this one: each continues the conversation of the
   * one before, also after a restart. A name holds within its graph; parallel branches need sessions of their own names.
   * @default a new session in each visit
   */
  readonly session?: SessionName<State>;
  /** Which tool calls are allowed. @default the run's policy */
  readonly permissions?: PermissionPolicy;
  /** The shape the answer must have; the parsed value arrives as `reply.structured`. */
  readonly outputSchema?: StandardSchema<Output>;
  /** How often the agent is asked to correct an answer that does not fit `outputSchema`. @default 2 */
  readonly maxRepairs?: number;
  /** Turns the answer into an update. @default `outputs[id] = reply.content` (or `reply.structured`) */
  readonly outputMapper?: (
    reply: AgentReply & { readonly structured: Output },
    state: Readonly<State>,
    context: ExecutionContext<State>,
  ) => Partial<State>;
  /** Abort a turn without a sign of life for so many milliseconds. @default the client's own */
  readonly stallTimeoutMs?: number;
  /** @default 3 attempts, except for errors that would only happen again */
  readonly retry?: RetryConfig;
  /** Fail after so many milliseconds, all turns together. */
  readonly timeout?: number;
}

/** Settings of an {@link agentNode}. */
export interface AgentNodeConfig<State extends BaseState, Output = unknown> extends AgentSettings<State, Output> {
  readonly id: string;
  /** What to ask the agent. */
  readonly buildMessage: MessageBuilder<State>;
}

/** Settings of an {@link agentNode} whose agent has a name. */
export interface NamedAgentNodeConfig<State extends BaseState, Output = unknown> extends AgentSettings<State, Output> {
  /** @default `agent-` and the agent's name */
  readonly id?: string;
  /** The name of a definition in the run's `agents`: its system prompt, model and tools hold where none are given here. */
  readonly agent: string;
  /** What to ask the agent. @default to do what its system prompt says */
  readonly buildMessage?: MessageBuilder<State>;
  /** Another name of {@link buildMessage}. */
  readonly prompt?: MessageBuilder<State>;
}

/**
 * A node that hands a task to a coding agent. When it runs again after a crash or a failure it reopens the agent's own
 * session, where the agent can, and asks it to finish instead of starting over (E4). Each visit has a session of its own,
 * unless `session` names one.
 *
 * ```ts
 * agentNode<State>({
 *   id: "plan",
 *   buildMessage: (state) => `Plan the work for: ${state.topic}`,
 *   outputMapper: (reply) => ({ plan: reply.content }),
 * });
 * agentNode<State>({ agent: "reviewer", prompt: (state) => `Review this: ${state.plan}` });
 * ```
 */
export function agentNode<State extends BaseState, Output = unknown>(
  config: NamedAgentNodeConfig<State, Output>,
): NodeDefinition<State>;
export function agentNode<State extends BaseState, Output = unknown>(
  config: AgentNodeConfig<State, Output>,
): NodeDefinition<State>;
export function agentNode<State extends BaseState, Output>(
  config: AgentNodeConfig<State, Output> | NamedAgentNodeConfig<State, Output>,
): NodeDefinition<State> {
  if (!("agent" in config)) {
    const { id, buildMessage } = config;
    return defineAgentNode(id, config, async (context) => ({ message: say(buildMessage, context), defaults: {} }));
  }
  const { agent, id = nameNode("agent", agent), prompt, buildMessage = prompt ?? DEFAULT_MESSAGE } = config;
  return defineAgentNode(id, config, async (context) => ({
    message: say(buildMessage, context),
    defaults: defaultsOf(await findAgent(agent, context)),
  }));
}

/** For an agent that nobody asks anything: what it is to do stands in its definition. */
const DEFAULT_MESSAGE = "Do what your instructions say.";

function say<State extends BaseState>(message: MessageBuilder<State>, context: ExecutionContext<State>): string {
  return typeof message === "function" ? message(context.state, context) : message;
}

/** A message, and what is known about who is to get it. */
export interface AgentBrief {
  readonly message: string;
  readonly defaults: AgentDefaults;
}

/** The node behind every factory that asks an agent; `prepare` looks up what is named, and makes the message. */
export function defineAgentNode<State extends BaseState, Output>(
  id: string,
  config: AgentSettings<State, Output>,
  prepare: (context: ExecutionContext<State>) => Promise<AgentBrief>,
): NodeDefinition<State> {
  const { systemPrompt, outputMapper, outputSchema, maxRepairs, stallTimeoutMs } = config;
  const model = config.model ?? config.sessionConfig?.model;
  return {
    id,
    type: "agent",
    targets: [],
    actsThroughServices: true,
    ...(config.name === undefined ? {} : { name: config.name }),
    ...(config.description === undefined ? {} : { description: config.description }),
    ...(config.title === undefined ? {} : { title: config.title }),
    ...(model === undefined ? {} : { model }),
    ...(config.timeout === undefined ? {} : { timeoutMs: config.timeout }),
    retry: { ...AGENT_RETRY, ...config.retry },
    async execute(context) {
      const { state, signal } = context;
      const { message, defaults } = await prepare(context);
      const ownPrompt = typeof systemPrompt === "function" ? systemPrompt(state) : systemPrompt;
      const sessionConfig = createSessionConfig(
        {
          title: config.name ?? id,
          systemPrompt: ownPrompt ?? config.sessionConfig?.systemPrompt ?? defaults.systemPrompt,
          model: model ?? defaults.model,
          tools: config.tools ?? defaults.tools,
          permissions: config.permissions,
          sessionConfig: config.sessionConfig,
        },
        context,
      );
      const agentType = config.agentType ?? defaults.agentType;
      const sessionName = config.session === undefined ? undefined : resolveSessionName(config.session, context);
      const conversation = { sessionName, outputSchema, maxRepairs, stallTimeoutMs, signal };
      const task = { agentType, sessionConfig, message: withFeedback(message, context), ...conversation };
      const { reply, sessionUpdate } = await askAgent(task, context);
      const update =
        outputMapper === undefined
          ? outputOf<State>(id, reply.structured ?? reply.content)
          : outputMapper(reply, state, context);
      return { stateUpdate: { ...update, ...sessionUpdate } };
    },
  };
}

/** The id of a node that is called after what it names; some characters are reserved. */
export function nameNode(kind: string, name: string): string {
  return `${kind}-${name.replace(/[[\]#/]/g, "-")}`;
}
