import type { NodeDefinition, NodePart } from "../../model/node-definition.ts";
import { listOf } from "../../options/find-option-problems.ts";
import { anything, described, either, node } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";

/** The option with the nodes of a loop's iteration. */
export const taskNodes = described(
  either(node, listOf(anything, "a list of nodes", { min: 1 })),
  "a node or a list of nodes that is not empty",
);

/** After how many iterations a loop with a `maxIterations` of 0 counts as endless. */
export const UNBOUNDED_ITERATIONS = 1_000;

/** One node, several or none, as parts of another node. */
export function nodeParts<State extends BaseState>(
  nodes: NodeDefinition<State> | readonly NodeDefinition<State>[] = [],
): readonly NodePart<State>[] {
  const list = "execute" in nodes ? [nodes] : nodes;
  return list.map((each) => ({ kind: "node", node: each }));
}
