import type { CatchHandler } from "../chain.ts";
import type { NodeDefinition } from "../node-definition.ts";

/** Makes a node of a function given to `.catch()`. */
export function catchNode(id: string, handler: CatchHandler): NodeDefinition {
  return {
    id,
    type: "tool",
    // `error` is there whenever a handler runs: the coordinator enters it only with a failure.
    execute: (context) => handler(context.error ?? new Error("The failure is unknown."), context),
  };
}
