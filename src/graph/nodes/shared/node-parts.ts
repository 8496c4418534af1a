import type { NodeDefinition, NodePart } from "../../model/node-definition.ts";
import { listOf } from "../../options/find-option-problems.ts";
import { anything, described, either, node } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";

/** The option of loops that says what an iteration is made of. */
export const taskNodes = described(
  either(node, listOf(anything, "a list of nodes", { min: 1 })),
  "a node or a list of nodes that is not empty",
);

/** How often a loop with a `maxIterations` of 0 may run before that is taken for a mistake. */
export const UNBOUNDED_ITERATIONS = 1_000;

/** One node or several, or none where they are missing, as parts of another one. */
export function nodeParts<State extends BaseState>(
  nodes: NodeDefinition<State> | readonly NodeDefinition<State>[] = [],
): readonly NodePart<State>[] {
  const list = "execute" in nodes ? [nodes] : nodes;
  return list.map((each) => ({ kind: "node", node: each }));
}
