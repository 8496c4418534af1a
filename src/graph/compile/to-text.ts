import { toOneLine } from "../errors/one-line.ts";
import type { GraphCode } from "./graph-code.ts";
import { type OutlineStep, outlineSteps } from "./outline-steps.ts";

/**
 * A compiled graph as an indented outline for terminals: a line for each node, and for each block its condition. Inner
 * graphs are shown where they first occur.
 */
export function toText(code: GraphCode): string {
  const lines = outlineSteps(code).map((step) => "  ".repeat(step.depth) + toOneLine(lineOf(step)));
  return `${lines.join("\n")}\n`;
}

function lineOf({ id, name, type, isBlock, facts }: OutlineStep): string {
  if (!isBlock) return `${name === undefined ? id : `${id} (${name})`}: ${[type, ...facts].join(", ")}`;
  const head = id === "" ? type : `${type} ${id}`;
  return facts.length === 0 ? head : `${head}: ${facts.join(", ")}`;
}
