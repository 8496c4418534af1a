import type { NodeDefinition } from "../model/node-definition.ts";
import type { NodeId } from "../model/node-id.ts";
import type { CatchScope, Instruction, Program } from "./program.ts";

/** An edge from one node of a graph to another. */
export interface GraphEdge {
  readonly from: NodeId;
  readonly to: NodeId;
  /**
   * The conditions for this edge, outermost first: `yes` or `no` of an `if`, `again` or `done` of a loop, the name of a
   * branch, `each` of a map, `route` of a decision, `failure` of a `catch`. Conditions before a join, or before the two
   * paths of an `if` merge, are left out.
   */
  readonly label?: string;
}

/** The nodes and edges of a graph. */
export interface GraphOutline {
  readonly edges: readonly GraphEdge[];
  /** The node that a run starts with; the first one if there are several. */
  readonly startNode: NodeId | undefined;
  /** The nodes after which a run can end. */
  readonly endNodes: ReadonlySet<NodeId>;
}

/** Finds the edges between the nodes of a program: those that `toMermaid` draws, without the boxes in between. */
export function outlineOf(program: Program): GraphOutline {
  return new Outliner(program).outline();
}

/** The next node on a path, and the conditions on the way. */
interface Arrival {
  /** Absent for the end of the graph. */
  readonly pc: number | undefined;
  readonly labels: readonly string[];
}

class Outliner {
  readonly #program: Program;
  #edges = new Map<string, GraphEdge>();
  readonly #ends = new Set<NodeId>();
  readonly #visited = new Set<number>();
  readonly #blocks: readonly (Block | undefined)[];

  constructor(program: Program) {
    this.#program = program;
    this.#blocks = findBlocks(program.instructions);
  }

  outline(): GraphOutline {
    const [start] = this.#arrive(0);
    for (const { pc } of this.#arrive(0)) this.#visit(pc);
    const pcOf = (id: NodeId): number => this.#program.pcOfNode.get(id) ?? 0;
    const ways = [...this.#edges].sort(([, a], [, b]) => pcOf(a.from) - pcOf(b.from));
    this.#edges = new Map(ways);
    for (const scope of this.#program.catches) this.#takeFailures(scope);
    const startNode = start?.pc === undefined ? undefined : this.#nodeAt(start.pc)?.id;
    return { edges: [...this.#edges.values()], startNode, endNodes: this.#ends };
  }

  #nodeAt(pc: number): NodeDefinition | undefined {
    const instruction = this.#program.instructions[pc];
    return instruction?.op === "task" ? instruction.node : undefined;
  }

  #visit(pc: number | undefined): void {
    const node = pc === undefined ? undefined : this.#nodeAt(pc);
    if (pc === undefined || node === undefined || this.#visited.has(pc)) return;
    this.#visited.add(pc);
    const targets = (node.targets ?? []).flatMap((target) => this.#program.pcOfNode.get(target) ?? []);
    if (node.type === "parallel" && node.join !== undefined && targets.length > 0) {
      return this.#splitTo(node.id, targets);
    }
    for (const target of targets) this.#lead(node.id, [{ pc: target, labels: ["route"] }]);
    if (!node.leavesByRoute) this.#lead(node.id, this.#arrive(pc + 1));
  }

  /** Each target is a branch of one node, and the run continues after the last of them. */
  #splitTo(from: NodeId, targets: readonly number[]): void {
    const behind = this.#arrive(Math.max(...targets) + 1);
    for (const target of targets) {
      const id = this.#nodeAt(target)?.id;
      if (id === undefined) continue;
      this.#addEdge(from, id, [id]);
      this.#visited.add(target);
      this.#lead(id, behind);
    }
  }

  #lead(from: NodeId, arrivals: readonly Arrival[]): void {
    for (const { pc, labels } of arrivals) {
      const to = pc === undefined ? undefined : this.#nodeAt(pc)?.id;
      if (to === undefined) this.#ends.add(from);
      else this.#addEdge(from, to, labels);
      this.#visit(pc);
    }
  }

  #addEdge(from: NodeId, to: NodeId, labels: readonly string[]): void {
    const edge = { from, to, ...(labels.length === 0 ? {} : { label: labels.join(", ") }) };
    this.#edges.set(JSON.stringify([from, to, labels]), edge);
  }

  /** Adds the edges to a handler; the innermost handler around a node gets its failures. */
  #takeFailures(scope: CatchScope): void {
    const { catches } = this.#program;
    const handlers = this.#arrive(scope.handlerPc, ["failure"]);
    for (let pc = scope.startPc; pc < scope.endPc; pc++) {
      const node = this.#nodeAt(pc);
      const around = catches.filter(({ startPc, endPc }) => startPc <= pc && pc < endPc);
      const innermost = around.reduce((inner, other) => (sizeOf(other) < sizeOf(inner) ? other : inner), scope);
      if (node !== undefined && innermost === scope) this.#lead(node.id, handlers);
    }
  }

  /** The first nodes on all paths from a position. Visits each instruction once: merging paths continue as one. */
  #arrive(start: number, labels: readonly string[] = []): readonly Arrival[] {
    const arrivals: Arrival[] = [];
    const waiting = new Map<number, readonly string[]>();
    const passed = new Map<number, readonly string[]>();
    const reach = (to: number | undefined, through: readonly string[]): void => {
      const op = to === undefined ? "end" : this.#program.instructions[to]?.op;
      if (to === undefined || op === undefined || op === "end") arrivals.push({ pc: undefined, labels: through });
      else if (op === "task") arrivals.push({ pc: to, labels: through });
      else if (!passed.has(to)) waiting.set(to, sharedStart(waiting.get(to) ?? through, through));
    };
    reach(start, labels);
    while (waiting.size > 0) {
      // The lowest position: all paths to it are known, except those that lead back.
      const pc = Math.min(...waiting.keys());
      const through = waiting.get(pc) ?? [];
      waiting.delete(pc);
      passed.set(pc, through);
      for (const { to, label } of this.#exitsOf(pc)) reach(to, label === undefined ? through : [...through, label]);
      const block = this.#blocks[pc];
      // After a join, the branch on the way no longer matters.
      if (this.#program.instructions[pc]?.op === "branch-end")
        reach(block?.joinPc, (block && passed.get(block.forkPc)) ?? through);
    }
    return arrivals.sort((one, other) => (one.pc ?? Number.MAX_VALUE) - (other.pc ?? Number.MAX_VALUE));
  }

  /** The successors of an instruction that is not a node; the end of a branch is left to its block. */
  #exitsOf(pc: number): readonly { readonly to: number; readonly label?: string }[] {
    const instruction = this.#program.instructions[pc];
    switch (instruction?.op) {
      case "jump":
        return [{ to: instruction.to }];
      case "if":
        return [
          { to: pc + 1, label: "yes" },
          { to: instruction.elsePc, label: "no" },
        ];
      case "loop":
        return [
          { to: pc + 1, label: "again" },
          { to: instruction.exitPc, label: "done" },
        ];
      case "fork":
        return instruction.branches.map(({ startPc, name }) => ({ to: startPc, label: name }));
      case "map":
        return [{ to: instruction.startPc, label: "each" }];
      default:
        return [];
    }
  }
}

/** The conditions that two merging paths share, outermost first. */
function sharedStart(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((label, index) => label !== other[index]);
  return end < 0 ? one : one.slice(0, end);
}

function sizeOf({ startPc, endPc }: CatchScope): number {
  return endPc - startPc;
}

/** The instruction around a branch. */
interface Block {
  readonly forkPc: number;
  /** The position after the branch. */
  readonly joinPc: number;
}

/** The innermost block around each position. */
function findBlocks(instructions: readonly Instruction[]): readonly (Block | undefined)[] {
  const blocks: (Block | undefined)[] = instructions.map(() => undefined);
  // Inner blocks come later and overwrite outer ones.
  for (const [pc, instruction] of instructions.entries()) {
    if (instruction.op !== "fork" && instruction.op !== "map") continue;
    const { joinPc } = instruction;
    blocks.fill({ forkPc: pc, joinPc }, pc + 1, joinPc);
  }
  return blocks;
}
