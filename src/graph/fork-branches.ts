import { MapItemsError } from "./errors.ts";
import type { ForkInstruction } from "./program.ts";
import { createThread, type Thread } from "./run-state.ts";
import type { StateRecord } from "./state-update.ts";

/**
 * The threads of a fork's branches, none of which has begun.
 *
 * @param visit the name of this visit of the fork, which the ids of the branches begin with
 * @throws MapItemsError, and whatever the author's `items` throws
 */
export function createBranches(thread: Thread, instruction: ForkInstruction, visit: string): Thread[] {
  const start = { parent: thread, state: thread.state };
  if (instruction.op === "fork") {
    const { branches, joinPc } = instruction;
    return branches.map(({ name, startPc }, index) => {
      const region = { startPc, endPc: branches[index + 1]?.startPc ?? joinPc };
      return createThread({
        ...start,
        id: `${visit}[${name}]/`,
        branchName: name,
        region,
        item: undefined,
        pc: startPc,
      });
    });
  }
  const { startPc, joinPc } = instruction;
  const region = { startPc, endPc: joinPc };
  return listItems(instruction, thread.state).map((value, index) => {
    const name = String(index);
    return createThread({
      ...start,
      id: `${visit}[${name}]/`,
      branchName: name,
      region,
      item: { value, index },
      pc: startPc,
    });
  });
}

/** How many branches of a fork may run at the same time. */
export function branchLimit(instruction: ForkInstruction): number {
  return instruction.op === "map" ? instruction.concurrency : Number.POSITIVE_INFINITY;
}

/** What a map fans out over. @throws MapItemsError, and whatever the author's `items` throws */
export function listItems(
  instruction: Extract<ForkInstruction, { op: "map" }>,
  state: StateRecord,
): readonly unknown[] {
  const items: unknown = instruction.items(state);
  if (!Array.isArray(items)) throw new MapItemsError(instruction.id);
  return items;
}
