import { branchesAround } from "./branches-around.ts";
import type { Instruction, Program, Region } from "./program.ts";

/** The part of a compiled graph that determines its paths. */
export type Flow = Pick<Program, "instructions" | "catches" | "pcOfNode">;

/**
 * Positions of nodes that no path leads to, grouped by adjacent positions. Reports only what is certain: a node without
 * `targets` may go to any node of its branch, every condition may be true or false, and everything may fail.
 */
export function findUnreachable(flow: Flow): readonly (readonly number[])[] {
  const reached = new ReachabilityWalk(flow).walk();
  const stretches: number[][] = [];
  let current: number[] | undefined;
  for (const [pc, instruction] of flow.instructions.entries()) {
    if (reached.has(pc)) current = undefined;
    else if (instruction.op === "task") {
      if (current === undefined) {
        current = [];
        stretches.push(current);
      }
      current.push(pc);
    }
  }
  return stretches;
}

/** Follows every path through a program. */
class ReachabilityWalk {
  readonly #flow: Flow;
  /** The innermost branch around each position. */
  readonly #regions: readonly Region[];
  readonly #reached = new Set<number>();
  readonly #open: number[] = [0];
  /** Branches with a node that may go to any other node of the branch. */
  readonly #openRegions = new Set<Region>();

  constructor(flow: Flow) {
    this.#flow = flow;
    this.#regions = branchesAround(flow.instructions);
  }

  walk(): ReadonlySet<number> {
    for (let pc = this.#open.pop(); pc !== undefined; pc = this.#open.pop()) {
      const instruction = this.#flow.instructions[pc];
      if (instruction === undefined || this.#reached.has(pc)) continue;
      this.#reached.add(pc);
      for (const { startPc, endPc, handlerPc } of this.#flow.catches) {
        if (pc >= startPc && pc < endPc) this.#open.push(handlerPc);
      }
      this.#follow(pc, instruction);
    }
    return this.#reached;
  }

  #follow(pc: number, instruction: Instruction): void {
    switch (instruction.op) {
      case "task":
        return this.#followTask(pc, instruction.node);
      case "jump":
        this.#open.push(instruction.to);
        return;
      case "if":
        this.#open.push(pc + 1, instruction.elsePc);
        return;
      case "loop":
        this.#open.push(pc + 1);
        if (instruction.until !== undefined || !instruction.failsAtLimit) this.#open.push(instruction.exitPc);
        return;
      case "fork":
        this.#open.push(...instruction.branches.map(({ startPc }) => startPc), instruction.joinPc);
        return;
      case "map":
        this.#open.push(instruction.startPc, instruction.joinPc);
        return;
      case "branch-end":
      case "end":
        return;
    }
  }

  #followTask(pc: number, node: Extract<Instruction, { op: "task" }>["node"]): void {
    const { targets, leavesByRoute = false, join } = node;
    const pcs = targets?.map((target) => this.#flow.pcOfNode.get(target));
    // A route to an unknown node is a separate problem; its intended target cannot be known.
    if (pcs === undefined || pcs.includes(undefined)) return this.#followAnywhere(pc);
    if (!leavesByRoute) this.#open.push(pc + 1);
    const goesToOne = leavesByRoute && join === undefined;
    for (const target of pcs) {
      if (target === undefined) continue;
      this.#open.push(target);
      // One of several targets ends like a branch, and the run continues after it.
      if (!goesToOne) this.#open.push(target + 1);
    }
  }

  #followAnywhere(pc: number): void {
    this.#open.push(pc + 1);
    const region = this.#regions[pc];
    if (region === undefined || this.#openRegions.has(region)) return;
    this.#openRegions.add(region);
    for (let target = region.startPc; target < region.endPc; target++) {
      const isTarget = this.#regions[target] === region && this.#flow.instructions[target]?.op === "task";
      if (isTarget) this.#open.push(target, target + 1);
    }
  }
}
