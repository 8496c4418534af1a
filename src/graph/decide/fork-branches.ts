import type { ForkInstruction, GotoFork, MergeBranches, Region } from "../compile/program.ts";
import { MapItemsError } from "../errors/errors.ts";
import { immediate } from "../errors/promise-returned-error.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { ownValue } from "../state/owned-value.ts";
import { type MapItems, placeOf, type RunState, Thread } from "./records/run-state.ts";

/**
 * The threads of a fork's branches, before their start.
 *
 * @param visit the name of this visit of the fork; the ids of the branches start with it
 * @param items what a map fans out over
 * @throws RangeError when the state has no such items, for example in another graph
 */
export function createBranches(
  thread: Thread,
  instruction: ForkInstruction,
  { visit, items }: { readonly visit: string; readonly items?: MapItems | undefined },
): Thread[] {
  const { code, state } = thread;
  const branch = (name: string, region: Region, item?: Thread["item"]): Thread =>
    new Thread({
      parent: thread,
      code,
      state,
      id: `${visit}[${name}]/`,
      branchName: name,
      region,
      item,
    });
  switch (instruction.op) {
    case "fork": {
      const { branches, joinPc } = instruction;
      return branches.map(({ name, startPc }, index) =>
        branch(name, { startPc, endPc: branches[index + 1]?.startPc ?? joinPc }),
      );
    }
    case "goto":
      return instruction.branches.map(({ name, startPc }) => branch(name, { startPc, endPc: startPc + 1 }));
    case "map": {
      const region = { startPc: instruction.startPc, endPc: instruction.joinPc };
      return itemsIn(thread, items).map((value, index) => branch(String(index), region, { value, index }));
    }
    case "subgraph":
      throw new Error("A subgraph is entered, not split into branches");
    case "calls":
      throw new Error("Calls are made one by one");
  }
}

/** The fork of a node whose `goto` names several others; `pcs` are their positions, by id. */
export function createGotoFork(node: NodeDefinition, pcs: ReadonlyMap<string, number>): GotoFork {
  const { strategy = "all", merge } = node.join ?? {};
  return {
    op: "goto",
    id: node.id,
    branches: [...pcs].map(([name, startPc]) => ({ name, startPc })),
    strategy,
    // The cast is true: a graph runs only with states of its own type.
    merge: merge as MergeBranches | undefined,
    joinPc: Math.max(...pcs.values()) + 1,
  };
}

/** How many branches of a fork may run at the same time. */
export function branchLimit(instruction: ForkInstruction): number {
  return instruction.op === "map" ? instruction.concurrency : Number.POSITIVE_INFINITY;
}

/**
 * Calls the author's function for what a map fans out over.
 *
 * @throws MapItemsError, UnserializableValueError, and whatever the author's `items` throws
 */
export function decideItems(
  run: RunState,
  instruction: Extract<ForkInstruction, { op: "map" }>,
  thread: Thread,
): MapItems {
  const { state, id: path } = thread;
  const items: unknown = immediate(instruction.items(state, { path, ...placeOf(thread) }), "items", instruction.id);
  if (!Array.isArray(items)) throw new MapItemsError(instruction.id);
  const field = Object.keys(state).find((name) => state[name] === items);
  if (field !== undefined) return { itemsOf: field };
  return { items: ownValue<readonly unknown[]>(run.redact(items), [instruction.id]) };
}

function itemsIn({ state }: Thread, items: MapItems | undefined): readonly unknown[] {
  if (items !== undefined && "items" in items) return items.items;
  const list = items === undefined ? undefined : state[items.itemsOf];
  if (!Array.isArray(list)) throw new RangeError("a list that a map was over is gone");
  return list;
}
