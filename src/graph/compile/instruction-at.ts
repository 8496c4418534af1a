import type { GraphCode } from "./graph-code.ts";
import type { Instruction } from "./program.ts";

/** The instruction at a position. */
export function instructionAt({ program }: GraphCode, pc: number): Instruction {
  const instruction = program.instructions[pc];
  if (instruction === undefined) throw new RangeError(`The program has no position ${pc}`);
  return instruction;
}
