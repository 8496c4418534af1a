import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { aFunction, either, oneOf, required, someText, text } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import type { ClearContextNodeConfig } from "./clear-context.ts";
import { clearContext } from "./clear-context.ts";

/** The name of a session. */
export const session = required(either(someText, aFunction), "give it the name of the session");

/** How to clear a full context window. */
export const contextAction = oneOf(["summarize", "recreate", "warn"]);

export const CLEAR_CONTEXT_NODE: NodeFactory<ClearContextNodeConfig<BaseState>> = {
  name: "clearContextNode",
  options: { id: someText, name: text, description: text, session, action: contextAction },
};

/**
 * A node that frees space in the context window of a session between two tasks. Does nothing if the session does not exist.
 *
 * ```ts
 * taskLoopNode({
 *   preIterationNode: clearContextNode({ session: "implement" }),
 *   taskNodes: agentNode({ id: "implement", session: "implement", buildMessage: ({ currentTask }) => `Do ${currentTask?.name}` }),
 * });
 * ```
 */
export function clearContextNode<State extends BaseState, Item = unknown>(
  config: ClearContextNodeConfig<State, Item>,
): NodeDefinition<State, Item> {
  return defineNode(CLEAR_CONTEXT_NODE, config, makeClearContextNode);
}

function makeClearContextNode<State extends BaseState, Item>(
  config: ClearContextNodeConfig<State, Item>,
): NodeDefinition<State, Item> {
  const { id = "clear-context", name = "Clear the context", description } = config;
  return {
    id,
    type: "tool",
    ...THROUGH_SERVICES,
    name,
    ...given({ description }),
    async execute(context) {
      return await clearContext(config, context);
    },
  };
}
