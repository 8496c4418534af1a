import type { BaseState } from "../annotation.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { PromptDefinition } from "../named-definitions.ts";
import type { NodeDefinition } from "../node-definition.ts";
import { defineAgentNode } from "./agent-node.ts";
import type { AgentBrief, AgentSettings } from "./agent-settings.ts";
import { type AgentDefaults, defaultsOf, findAgent, givenModel } from "./named-agent.ts";

/** The settings that {@link skillNode} and {@link commandNode} share. What is set here wins over the definition. */
export interface PromptSettings<State extends BaseState, Output = unknown> extends AgentSettings<State, Output> {
  /** @default the kind and the name, for example `skill-commit` */
  readonly id?: string;
  /** The name of the agent that is asked, in the run's `agents`. @default the one that the definition names */
  readonly agent?: string;
  /** What `$ARGUMENTS`, `$1`, `$2`, … stand for. @default nothing */
  readonly args?: string | ((state: Readonly<State>) => string);
}

/** Where a prompt comes from, and how arguments are put into it. */
interface PromptSource<State extends BaseState> {
  find(context: ExecutionContext<State>): Promise<PromptDefinition>;
  expand(prompt: PromptDefinition, given: string): string;
}

/** A node that asks an agent what a prompt with a name says. */
export function definePromptNode<State extends BaseState, Output>(
  id: string,
  settings: PromptSettings<State, Output>,
  source: PromptSource<State>,
): NodeDefinition<State> {
  const { args = "" } = settings;
  return defineAgentNode(id, settings, async (context): Promise<AgentBrief> => {
    const prompt = await source.find(context);
    const agent = settings.agent ?? prompt.agent;
    const base: AgentDefaults = agent === undefined ? {} : defaultsOf(await findAgent(agent, context));
    return {
      message: source.expand(prompt, typeof args === "function" ? args(context.state) : args),
      defaults: {
        ...base,
        model: givenModel(prompt.model) ?? base.model,
        tools: prompt.tools ?? base.tools,
        agentType: prompt.agentType ?? base.agentType,
      },
    };
  });
}
