import type { NodeDefinition } from "../../model/node-definition.ts";
import type { NodeId } from "../../model/node-id.ts";

/** Creates the node of `GraphBuilder.goto()`. */
export function gotoNode(id: string, target: NodeId): NodeDefinition {
  return {
    id,
    type: "decision",
    name: `Go to ${target}`,
    targets: [target],
    leavesByRoute: true,
    actsThroughServices: true,
    execute: () => ({ goto: target }),
  };
}
