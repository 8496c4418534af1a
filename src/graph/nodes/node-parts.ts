import type { BaseState } from "../annotation.ts";
import type { NodeDefinition, NodePart } from "../node-definition.ts";

/** One node or several, as parts of another one. */
export function nodeParts<State extends BaseState>(
  nodes: NodeDefinition<State> | readonly NodeDefinition<State>[],
): readonly NodePart<State>[] {
  const list = "execute" in nodes ? [nodes] : nodes;
  return list.map((node) => ({ kind: "node", node }));
}
