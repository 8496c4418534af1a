import type { BaseState } from "../annotation.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { NodeDefinition, RetryConfig } from "../node-definition.ts";
import type { SubagentSuccess } from "../subagent-runner.ts";
import { shorten } from "./agent-events.ts";
import { AGENT_RETRY } from "./agent-retry.ts";
import { createSessionConfig, withFeedback } from "./ask-agent.ts";
import { defaultsOf, findAgent } from "./named-agent.ts";
import { runSubagent } from "./run-subagent.ts";
import { outputOf } from "./tool-node.ts";

/** Who is to do what. What is set here wins over the agent's definition. */
export interface SubagentSettings<State extends BaseState> {
  /** The name of a definition in the run's `agents`. */
  readonly agentName: string;
  readonly task: string | ((state: Readonly<State>) => string);
  /** Which vendor's agent. @default that of the definition, else the one the run was started with */
  readonly agentType?: string;
  readonly systemPrompt?: string | ((state: Readonly<State>) => string);
  readonly model?: string;
  /** The only tools the agent may use, by name; the permissions decide about their calls. */
  readonly tools?: readonly string[];
  /** How much of the answer the result holds, in characters. @default all */
  readonly maxOutputLength?: number;
  /** Fail after so many milliseconds of work; waiting for a place does not count. */
  readonly timeout?: number;
}

/** Settings of a {@link subagentNode}. */
export interface SubagentNodeConfig<State extends BaseState> extends SubagentSettings<State> {
  readonly id: string;
  /** @default the agent's name */
  readonly name?: string;
  readonly description?: string;
  /** Turns the result into an update. @default `outputs[id] = result.output` */
  readonly outputMapper?: (result: SubagentSuccess, state: Readonly<State>) => Partial<State>;
  /** @default 3 attempts, except for errors that would only happen again */
  readonly retry?: RetryConfig;
}

/**
 * A node that gives a task to a sub-agent: an agent with a name, in a session of its own, which the run's `subagents`
 * service runs.
 *
 * ```ts
 * subagentNode<State>({
 *   id: "analyze",
 *   agentName: "codebase-analyzer",
 *   task: (state) => `Analyze ${state.targetFile}`,
 *   outputMapper: (result) => ({ analysis: result.output }),
 * });
 * ```
 */
export function subagentNode<State extends BaseState = BaseState>(
  config: SubagentNodeConfig<State>,
): NodeDefinition<State> {
  const { id, name = config.agentName, outputMapper } = config;
  return {
    id,
    type: "agent",
    name,
    title: (state) => shorten(`${name}: ${resolve(config.task, state)}`),
    ...(config.description === undefined ? {} : { description: config.description }),
    ...(config.model === undefined ? {} : { model: config.model }),
    retry: { ...AGENT_RETRY, ...config.retry },
    targets: [],
    actsThroughServices: true,
    async execute(context) {
      const result = await delegate(name, config, context);
      return { stateUpdate: outputMapper ? outputMapper(result, context.state) : outputOf<State>(id, result.output) };
    },
  };
}

function resolve<State extends BaseState>(text: string | ((state: Readonly<State>) => string), state: State): string {
  return typeof text === "function" ? text(state) : text;
}

async function delegate<State extends BaseState>(
  title: string,
  settings: SubagentSettings<State>,
  context: ExecutionContext<State>,
): Promise<SubagentSuccess> {
  const { agentName, task, systemPrompt, timeout: timeoutMs, maxOutputLength } = settings;
  const { state } = context;
  const defaults = defaultsOf(await findAgent(agentName, context));
  const tools = settings.tools ?? defaults.tools;
  const wishes = {
    title,
    systemPrompt: systemPrompt === undefined ? defaults.systemPrompt : resolve(systemPrompt, state),
    model: settings.model ?? defaults.model,
    tools,
  };
  const order = {
    agentName,
    agentType: settings.agentType ?? defaults.agentType,
    task: withFeedback(resolve(task, state), context),
    sessionConfig: createSessionConfig(wishes, context),
    tools,
    timeoutMs,
    maxOutputLength,
  };
  return await runSubagent(order, context);
}
