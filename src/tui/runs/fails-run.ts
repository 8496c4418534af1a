import type { GraphStep } from "../host/runs-port.ts";

/** Blocks that pass the failure of a step on. Others can handle it in code of their own. */
const PASSING_BLOCKS: ReadonlySet<string> = new Set(["if", "else", "branch", "loop", "subgraph"]);

/**
 * Whether the run fails when a step fails: no `catch` follows it, and no block around it accepts the failure. False where the
 * graph does not say it, as for the calls of a script. Pure.
 */
export function failsRun(steps: readonly GraphStep[], nodeId: string): boolean {
  const places = steps.flatMap((step, index) => (step.nodeId === nodeId ? [index] : []));
  return places.length > 0 && places.every((index) => isPassedOn(steps, index));
}

function isPassedOn(steps: readonly GraphStep[], index: number): boolean {
  const depth = steps[index]?.depth ?? 0;
  const rest = steps.slice(index + 1);
  const end = rest.findIndex((step) => step.depth < depth);
  const siblings = (end === -1 ? rest : rest.slice(0, end)).filter((step) => step.depth === depth);
  if (siblings.some(({ nodeType }) => nodeType === "catch")) return false;
  if (depth === 0) return true;
  const around = steps.slice(0, index).findLastIndex((step) => step.depth < depth);
  const block = steps[around];
  if (block === undefined) return true;
  const isJoin = block.nodeType === "parallel" || block.nodeType === "map";
  const passes = isJoin ? block.strategy === "all" : PASSING_BLOCKS.has(block.nodeType);
  return passes && isPassedOn(steps, around);
}
