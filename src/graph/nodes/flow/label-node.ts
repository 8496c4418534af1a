import type { NodeDefinition } from "../../model/node-definition.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";

/** Creates the node of `GraphBuilder.label()`. */
export function labelNode(id: string, label: string): NodeDefinition {
  return {
    id,
    type: "tool",
    name: `Label "${label}"`,
    ...THROUGH_SERVICES,
    execute: () => ({ signals: [{ type: "checkpoint", label }] }),
  };
}
