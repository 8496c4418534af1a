import type { Instruction, Region } from "./program.ts";

/**
 * The innermost branch around each position of a program, or the whole of it; the same object for the same branch. A
 * `goto` leads from a node to another one in the same.
 */
export function branchesAround(instructions: readonly Instruction[]): readonly Region[] {
  const regions = Array.from<Region>({ length: instructions.length });
  regions.fill({ startPc: 0, endPc: instructions.length });
  // What lies inside comes later.
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
