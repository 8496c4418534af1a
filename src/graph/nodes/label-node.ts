import type { NodeDefinition } from "../node-definition.ts";

/** The node behind `GraphBuilder.label()`. */
export function labelNode(id: string, label: string): NodeDefinition {
  return {
    id,
    type: "tool",
    name: `Label "${label}"`,
    targets: [],
    actsThroughServices: true,
    execute: () => ({ signals: [{ type: "checkpoint", label }] }),
  };
}
