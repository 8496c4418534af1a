import type { Instruction, Region } from "./program.ts";

/**
 * For each position of a program, the innermost branch around it, or the whole program. Positions of the same branch share
 * one object. A `goto` stays within its branch.
 */
export function branchesAround(instructions: readonly Instruction[]): readonly Region[] {
  const regions = Array.from<Region>({ length: instructions.length });
  regions.fill({ startPc: 0, endPc: instructions.length });
  // Inner branches come later in the list and overwrite outer ones.
  for (const region of listBranches(instructions)) regions.fill(region, region.startPc, region.endPc);
  return regions;
}

function listBranches(instructions: readonly Instruction[]): readonly Region[] {
  return instructions.flatMap((instruction): readonly Region[] => {
    if (instruction.op === "map") return [{ startPc: instruction.startPc, endPc: instruction.joinPc }];
    if (instruction.op !== "fork") return [];
    const { branches, joinPc } = instruction;
    return branches.map(({ startPc }, index) => ({ startPc, endPc: branches[index + 1]?.startPc ?? joinPc }));
  });
}
