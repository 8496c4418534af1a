import type { NodeDefinition } from "./node-definition.ts";
import type { NodeId } from "./node-id.ts";
import type { CatchScope, Instruction, Program } from "./program.ts";

/** A way from one node of a graph to another one. */
export interface GraphEdge {
  readonly from: NodeId;
  readonly to: NodeId;
  /**
   * What has to be so for the run to go this way, outermost first: `yes` or `no` of an `if`, `again` or `done` of a loop, the
   * name of a branch, `each` of a map, `route` of a decision, `failure` of what a `catch` takes.
   */
  readonly label?: string;
}

/** How the nodes of a graph hang together. */
export interface GraphOutline {
  readonly edges: readonly GraphEdge[];
  /** The node that a run begins with; of several the first. */
  readonly startNode: NodeId | undefined;
  /** The nodes that a run can end behind. */
  readonly endNodes: ReadonlySet<NodeId>;
}

/** Finds the ways between the nodes of a program: those that `toMermaid` draws, without the boxes in between. */
export function outlineOf(program: Program): GraphOutline {
  return new Outliner(program).outline();
}

/** A place that a way leads to, and what it leads through. */
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
  readonly #joins: readonly (number | undefined)[];

  constructor(program: Program) {
    this.#program = program;
    this.#joins = findJoins(program.instructions);
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

  /** Each target is a branch of one node, and the run goes on behind the last of them. */
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

  /** What is innermost around a node takes its failure. */
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

  /** The nodes that come first from a position on. */
  #arrive(pc: number, labels: readonly string[] = [], passed: ReadonlySet<number> = new Set()): readonly Arrival[] {
    const instruction = this.#program.instructions[pc];
    if (instruction === undefined || instruction.op === "end") return [{ pc: undefined, labels }];
    if (instruction.op === "task") return [{ pc, labels }];
    if (passed.has(pc)) return [];
    const through = new Set([...passed, pc]);
    const on = (to: number, label?: string): readonly Arrival[] =>
      this.#arrive(to, label === undefined ? labels : [...labels, label], through);
    switch (instruction.op) {
      case "jump":
        return on(instruction.to);
      case "branch-end": {
        const join = this.#joins[pc];
        return join === undefined ? [{ pc: undefined, labels }] : on(join);
      }
      case "if":
        return [...on(pc + 1, "yes"), ...on(instruction.elsePc, "no")];
      case "loop":
        return [...on(pc + 1, "again"), ...on(instruction.exitPc, "done")];
      case "fork":
        return instruction.branches.flatMap(({ startPc, name }) => on(startPc, name));
      case "map":
        return on(instruction.startPc, "each");
    }
  }
}

function sizeOf({ startPc, endPc }: CatchScope): number {
  return endPc - startPc;
}

/** Where the end of the branch around each position leads. */
function findJoins(instructions: readonly Instruction[]): readonly (number | undefined)[] {
  const joins: (number | undefined)[] = instructions.map(() => undefined);
  // What lies inside comes later.
  for (const [pc, instruction] of instructions.entries()) {
    if (instruction.op === "fork" || instruction.op === "map")
      joins.fill(instruction.joinPc, pc + 1, instruction.joinPc);
  }
  return joins;
}
