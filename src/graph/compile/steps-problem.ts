import { isObject } from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";
import { isGraphCode } from "./graph-code.ts";

/**
 * Why a value is neither a node nor a list of nodes, as the end of a sentence about the method that received it;
 * `undefined` when it is one. The elements of a list are checked later, in the graph.
 */
export function findStepsProblem(steps: unknown): string | undefined {
  if (Array.isArray(steps)) return undefined;
  if (typeof steps === "string") return `was given the text ${showValue(steps)}; give it the node itself`;
  if (steps instanceof Promise) return "was given a Promise; await the node first";
  if (typeof steps === "function") {
    return "was given a function; make a node of it with toolNode({ id, execute })";
  }
  if (!isObject(steps)) return `was given ${showValue(steps)}; give it a node, a list of nodes or a graph`;
  if ("code" in steps && isGraphCode(steps.code)) {
    return "was given a compiled graph; make a node of it with subgraphNode({ id, subgraph }), or give the builder";
  }
  return undefined;
}
