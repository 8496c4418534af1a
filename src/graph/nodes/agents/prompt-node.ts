import { AGENT_ADVICE, AGENT_OPTIONS, type AgentSettings, type MessageBuilder } from "../../model/agent-settings.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import type { OptionAdvice, OptionTable } from "../../options/find-option-problems.ts";
import { someText, textOrFunction } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";
import { defineAgentNode, nameNode } from "./agent-node.ts";

/** The settings that {@link skillNode} and {@link commandNode} share. They override the definition. */
export interface PromptSettings<State extends BaseState, Output = unknown, Item = unknown, Update = unknown>
  extends AgentSettings<State, Output, Item, Update> {
  /** @default the kind and the name, for example `skill-commit` */
  readonly id?: string;
  /** The name of the agent, in the run's `agents`. @default the one that the definition names */
  readonly agent?: string;
  /** The values of `$ARGUMENTS`, `$1`, `$2`, …. @default none */
  readonly args?: MessageBuilder<State>;
}

/** The options of {@link PromptSettings}. */
export const PROMPT_OPTIONS: OptionTable<PromptSettings<BaseState>> = {
  ...AGENT_OPTIONS,
  id: someText,
  agent: someText,
  args: textOrFunction,
};

/** What other programs call them. */
export const PROMPT_ADVICE: OptionAdvice = { ...AGENT_ADVICE, arguments: ['did you mean "args"?', "args"] };

/** Creates a node that sends a named prompt to an agent. */
export function definePromptNode<State extends BaseState, Output, Item, Update>(
  kind: "command" | "skill",
  name: string | undefined,
  settings: PromptSettings<State, Output, Item, Update>,
): NodeDefinition<State, Item> {
  const { id = nameNode(kind, name), args = "", agent } = settings;
  return defineAgentNode(id, settings, { type: "prompt", kind, name: name ?? "", args, agent });
}
