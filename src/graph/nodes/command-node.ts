import type { BaseState } from "../annotation.ts";
import { resolveNamed } from "../named-services.ts";
import type { NodeDefinition } from "../node-definition.ts";
import { nameNode } from "./agent-node.ts";
import { expandArguments } from "./expand-arguments.ts";
import { definePromptNode, type PromptSettings } from "./prompt-node.ts";

/** Settings of a {@link commandNode}. */
export interface CommandNodeConfig<State extends BaseState, Output = unknown> extends PromptSettings<State, Output> {
  /** The name of a command that the run's services know, with or without a slash in front. */
  readonly command: string;
}

/**
 * A node that has an agent do what a command says. Like {@link agentNode} it goes on in the agent's session after a
 * crash.
 *
 * ```ts
 * commandNode<State>({ command: "review", args: (state) => `${state.branch} main` });
 * ```
 */
export function commandNode<State extends BaseState = BaseState, Output = unknown>(
  config: CommandNodeConfig<State, Output>,
): NodeDefinition<State> {
  const name = config.command.replace(/^\//, "");
  return definePromptNode(config.id ?? nameNode("command", name), config, {
    find: ({ services, nodeId }) => resolveNamed(services.commands, { kind: "command", name, nodeId }),
    expand: ({ prompt }, given) => expandArguments(prompt, given),
  });
}
