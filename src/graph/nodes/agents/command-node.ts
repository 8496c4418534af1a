import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { required, someText } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";
import { definePromptNode, PROMPT_ADVICE, PROMPT_OPTIONS, type PromptSettings } from "./prompt-node.ts";

/** Settings of a {@link commandNode}. */
export interface CommandNodeConfig<State extends BaseState, Output = unknown, Item = unknown, Update = unknown>
  extends PromptSettings<State, Output, Item, Update> {
  /** The name of a command in the run's services, with or without a leading slash. */
  readonly command: string;
}

export const COMMAND_NODE: NodeFactory<CommandNodeConfig<BaseState>> = {
  name: "commandNode",
  options: { ...PROMPT_OPTIONS, command: required(someText, "give it the name of a command") },
  advice: PROMPT_ADVICE,
};

/**
 * A node that sends a command's text to an agent. Like {@link agentNode}, it resumes the agent's session after a crash.
 *
 * ```ts
 * commandNode({ command: "review", args: (state) => `${state.branch} main` });
 * ```
 */
export function commandNode<State extends BaseState = BaseState, Output = unknown, Item = unknown, Update = unknown>(
  config: CommandNodeConfig<State, Output, Item, Update>,
): NodeDefinition<State, Item> {
  return defineNode(COMMAND_NODE, config, (checked) =>
    definePromptNode("command", checked.command?.replace(/^\//, ""), checked),
  );
}
