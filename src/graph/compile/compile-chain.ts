import type { GraphProblem } from "../errors/graph-problems.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { branchesAround } from "./branches-around.ts";
import type { CatchHandler, Chain, ChainStep } from "./chain.ts";
import { findUnreachable } from "./find-unreachable.ts";
import { describeNodeProblems, isNamedNode } from "./node-problems.ts";
import type { CatchScope, Instruction, Program, ProgramBranch } from "./program.ts";

/** The limit of loops without `maxIterations`; more iterations count as a mistake. */
const DEFAULT_MAX_ITERATIONS = 1_000;

/** Flattens the author's steps; adds the problems it finds to the list. */
export function compileChain(root: Chain, problems: GraphProblem[]): Program {
  return new ChainCompiler(problems).compile(root);
}

class ChainCompiler {
  readonly #instructions: Instruction[] = [];
  readonly #catches: CatchScope[] = [];
  readonly #pcOfNode = new Map<string, number>();
  /** Ids of loops, ifs and forks; they share one namespace with the nodes. */
  readonly #blockIds = new Set<string>();
  readonly #counters = new Map<string, number>();
  readonly #problems: GraphProblem[];
  /** The chain being flattened and the chains around it. */
  readonly #openChains = new Set<Chain>();
  /** The origin of the current step. */
  #origin: Error | undefined;
  /** For each instruction, the origin of its step. */
  readonly #origins: (Error | undefined)[] = [];

  constructor(problems: GraphProblem[]) {
    this.#problems = problems;
  }

  compile(root: Chain): Program {
    this.#emitChain(root);
    this.#emit({ op: "end" });
    this.#checkTargets();
    this.#checkReachability();
    return {
      instructions: this.#instructions,
      catches: this.#catches,
      pcOfNode: this.#pcOfNode,
      fingerprint: fingerprintOf(this.#instructions),
    };
  }

  #report(text: string, origin = this.#origin): void {
    this.#problems.push({ text, origin });
  }

  #emit(instruction: Instruction): number {
    this.#origins.push(this.#origin);
    return this.#instructions.push(instruction) - 1;
  }

  /** Reserves a position whose instruction is known only later. */
  #reserve(): number {
    return this.#emit({ op: "end" });
  }

  #emitChain(chain: Chain): void {
    if (this.#openChains.has(chain)) {
      this.#report("a graph contains itself; build the repeated part as a graph of its own");
      return;
    }
    this.#openChains.add(chain);
    const startPc = this.#instructions.length;
    const around = this.#origin;
    for (const step of chain.steps) {
      this.#origin = step.origin ?? around;
      this.#emitStep(step, startPc);
    }
    this.#origin = around;
    this.#openChains.delete(chain);
  }

  #emitStep(step: ChainStep, chainStartPc: number): void {
    switch (step.kind) {
      case "problem":
        return this.#report(step.text);
      case "node":
        return this.#emitNode(step.node);
      case "made":
        return this.#emitNode(step.make(this.#idOf(step.id, step.base)));
      case "if":
        return this.#emitIf(step);
      case "loop":
        return this.#emitLoop(step);
      case "parallel":
        return this.#emitParallel(step);
      case "map":
        return this.#emitMap(step);
      case "catch":
        return this.#emitCatch(step, chainStartPc);
    }
  }

  #emitNode(node: NodeDefinition): void {
    if (isNamedNode(node)) {
      this.#checkName("node id", node.id);
      if (this.#isTaken(node.id)) return;
      this.#pcOfNode.set(node.id, this.#emit({ op: "task", id: node.id, node }));
    }
    for (const problem of describeNodeProblems(node)) this.#report(problem);
    if (node?.parts !== undefined) this.#emitChain({ steps: node.parts });
  }

  #emitIf(step: Extract<ChainStep, { kind: "if" }>): void {
    const id = this.#blockId(step.id, "if");
    const ifPc = this.#reserve();
    this.#emitChain(step.then);
    const skipPc = step.otherwise.steps.length > 0 ? this.#reserve() : undefined;
    const elsePc = this.#instructions.length;
    this.#emitChain(step.otherwise);
    this.#instructions[ifPc] = { op: "if", id, condition: step.condition, elsePc };
    if (skipPc !== undefined) this.#instructions[skipPc] = { op: "jump", to: this.#instructions.length };
  }

  #emitLoop(step: Extract<ChainStep, { kind: "loop" }>): void {
    const id = this.#blockId(step.id, "loop");
    const { until } = step;
    const given = step.maxIterations === 0 ? undefined : step.maxIterations;
    const maxIterations = given ?? DEFAULT_MAX_ITERATIONS;
    const hasExit = until !== undefined || given !== undefined;
    if (!hasExit) {
      this.#report(`the loop "${id}" has no exit; give it "until" or "maxIterations"`);
    }
    if (!Number.isInteger(maxIterations) || maxIterations < 1) {
      this.#report(`the loop "${id}" has maxIterations ${maxIterations}; it must be a whole number from 0`);
    }
    if (step.body.steps.length === 0) this.#report(`the loop "${id}" has no steps`);
    const loopPc = this.#reserve();
    this.#emitChain(step.body);
    this.#emit({ op: "jump", to: loopPc });
    const exitPc = this.#instructions.length;
    // Unreachable steps after a loop without an exit are not a separate problem.
    const failsAtLimit = hasExit && (step.onMaxIterations ?? (given === undefined ? "fail" : "continue")) === "fail";
    this.#instructions[loopPc] = { op: "loop", id, until, maxIterations, failsAtLimit, exitPc };
  }

  #emitParallel(step: Extract<ChainStep, { kind: "parallel" }>): void {
    const id = this.#blockId(step.id, "parallel");
    if (step.branches.length === 0) this.#report(`"${id}" has no branches`);
    const forkPc = this.#reserve();
    const branches: ProgramBranch[] = [];
    const names = new Set<string>();
    for (const [index, branch] of step.branches.entries()) {
      const name = branch.name ?? firstNodeId(branch.chain) ?? String(index);
      if (branch.name !== undefined) this.#checkName(`branch name`, name);
      if (names.has(name)) this.#report(`"${id}" has two branches named "${name}"`);
      names.add(name);
      branches.push({ name, startPc: this.#instructions.length });
      if (branch.chain.steps.length === 0) this.#report(`the branch "${name}" of "${id}" has no steps`);
      this.#emitChain(branch.chain);
      this.#emit({ op: "branch-end" });
    }
    const joinPc = this.#instructions.length;
    this.#instructions[forkPc] = { op: "fork", id, branches, strategy: step.strategy, merge: step.merge, joinPc };
  }

  #emitMap(step: Extract<ChainStep, { kind: "map" }>): void {
    const id = this.#blockId(step.id, "map");
    const { items, body, strategy, merge, concurrency = Number.POSITIVE_INFINITY } = step;
    if (typeof items !== "function") this.#report(`the "items" of "${id}" is not a function of the state`);
    if (body.steps.length === 0) this.#report(`the map "${id}" has no steps`);
    const mapPc = this.#reserve();
    const startPc = this.#instructions.length;
    this.#emitChain(body);
    this.#emit({ op: "branch-end" });
    const bodyNodeId = body.steps.length === 1 ? firstNodeId(body) : undefined;
    const joinPc = this.#instructions.length;
    this.#instructions[mapPc] = { op: "map", id, items, startPc, strategy, merge, concurrency, bodyNodeId, joinPc };
  }

  #emitCatch(step: Extract<ChainStep, { kind: "catch" }>, startPc: number): void {
    const endPc = this.#instructions.length;
    if (endPc === startPc) this.#report("catch() has nothing before it in its chain");
    const skipPc = this.#reserve();
    const handlerPc = this.#instructions.length;
    this.#emitNode(
      typeof step.handler === "function" ? catchNode(this.#idOf(undefined, "catch"), step.handler) : step.handler,
    );
    this.#instructions[skipPc] = { op: "jump", to: this.#instructions.length };
    const { passesOn } = step;
    this.#catches.push({ startPc, endPc, handlerPc, ...(passesOn === undefined ? {} : { passesOn }) });
  }

  /** Ids of visits consist of these names, separated by these characters. */
  #checkName(what: string, name: string): void {
    if (/[[\]#/]/.test(name)) this.#report(`the ${what} "${name}" contains one of [ ] # /, which are reserved`);
  }

  #idOf(given: string | undefined, kind: string): string {
    if (given !== undefined) return given;
    const count = (this.#counters.get(kind) ?? 0) + 1;
    this.#counters.set(kind, count);
    return `${kind}_${count}`;
  }

  #blockId(given: string | undefined, kind: string): string {
    const id = this.#idOf(given, kind);
    this.#checkName(`id of the ${kind}`, id);
    if (!this.#isTaken(id)) this.#blockIds.add(id);
    return id;
  }

  #isTaken(id: string): boolean {
    const isTaken = this.#blockIds.has(id) || this.#pcOfNode.has(id);
    if (isTaken) this.#report(`the id "${id}" is used more than once`);
    return isTaken;
  }

  #checkTargets(): void {
    const branches = branchesAround(this.#instructions);
    for (const [pc, instruction] of this.#instructions.entries()) {
      if (instruction.op !== "task") continue;
      const { id, node } = instruction;
      const origin = this.#origins[pc];
      if (node.leavesByRoute && node.targets?.length === 0) {
        this.#report(`"${id}" has no routes; give it one, or a fallback`, origin);
      }
      for (const target of node.targets ?? []) {
        const targetPc = this.#pcOfNode.get(target);
        if (targetPc === undefined) {
          this.#report(`"${id}" routes to "${target}", which is not a node of the graph`, origin);
        } else if (branches[targetPc] !== branches[pc]) {
          this.#report(`"${id}" routes to "${target}", which is in another branch; route to a node of its own`, origin);
        }
      }
    }
  }

  #checkReachability(): void {
    const flow = { instructions: this.#instructions, catches: this.#catches, pcOfNode: this.#pcOfNode };
    for (const pcs of findUnreachable(flow)) {
      const names = pcs.flatMap((pc) => idsAt(this.#instructions[pc])).join(", ");
      const them = pcs.length > 1 ? "them" : "it";
      this.#report(`no path leads to ${names}; route to ${them}, or remove ${them}`, this.#origins[pcs[0] ?? 0]);
    }
  }
}

function idsAt(instruction: Instruction | undefined): readonly string[] {
  return instruction?.op === "task" ? [`"${instruction.id}"`] : [];
}

function firstNodeId(chain: Chain): string | undefined {
  const first = chain.steps[0];
  return first?.kind === "node" ? first.node?.id : undefined;
}

/**
 * A hash of the instructions' descriptions, in 16 hexadecimal digits: two lanes of 32 bits in the manner of FNV-1a, the
 * second fed by the first. It detects accidental changes to a graph, not forged ones. Journals contain it, so it must not
 * change.
 */
function fingerprintOf(instructions: readonly Instruction[]): string {
  const text = JSON.stringify(instructions.map(describe));
  let high = 0xcbf2;
  let low = 0x9dc5811c;
  for (let index = 0; index < text.length; index++) {
    low = Math.imul(low ^ text.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ (low >>> 24), 0x01000193);
  }
  return (high >>> 0).toString(16).padStart(8, "0") + (low >>> 0).toString(16).padStart(8, "0");
}

function describe(instruction: Instruction): readonly unknown[] {
  switch (instruction.op) {
    case "task":
      return ["task", instruction.id, instruction.node.type];
    case "jump":
      return ["jump", instruction.to];
    case "if":
      return ["if", instruction.id, instruction.elsePc];
    case "loop":
      return ["loop", instruction.id, instruction.exitPc];
    case "fork":
      return ["fork", instruction.id, instruction.branches, instruction.strategy];
    case "map":
      return ["map", instruction.id, instruction.joinPc, instruction.strategy];
    case "branch-end":
    case "end":
      return [instruction.op];
  }
}

/** Creates a node from a function given to `.catch()`. */
function catchNode(id: string, handler: CatchHandler): NodeDefinition {
  return {
    id,
    type: "tool",
    // `error` is always set here: the coordinator enters a handler only with a failure.
    execute: (context) => handler(context.error ?? new Error("The failure is unknown."), context),
  };
}
