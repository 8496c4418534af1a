import { formatMs } from "../errors/format-ms.ts";
import { given } from "../errors/given.ts";
import type { JoinStrategy } from "../model/join-strategy.ts";
import { maxAttemptsOf } from "../model/max-attempts.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { type GraphCode, isGraphCode } from "./graph-code.ts";
import type { Instruction, Program, Region } from "./program.ts";

/** A step of a graph's outline: a node, or a block such as a loop. */
export interface OutlineStep {
  /** The node's id, or that of the block. Empty for `else` and `catch`. */
  readonly id: string;
  /** The node's name, if it has one besides its id. */
  readonly name?: string;
  /** The node's type; of a block `if`, `else`, `loop`, `parallel`, `branch`, `map` or `catch`. */
  readonly type: string;
  readonly isBlock: boolean;
  /** How deep it is nested in blocks, inner graphs and nodes with parts. */
  readonly depth: number;
  /** The model that the node asks for. */
  readonly model?: string;
  /** How its branches join. Absent of what has none. */
  readonly strategy?: JoinStrategy;
  /** What else is known of it, such as `3 attempts` or a loop's limit. */
  readonly facts: readonly string[];
}

/**
 * The nodes and blocks of a compiled graph in the order of its text. Inner graphs are listed where they first occur.
 */
export function outlineSteps({ program }: GraphCode): readonly OutlineStep[] {
  const writer = new OutlineWriter(new Map([[program, "the whole graph"]]));
  writer.writeProgram(program, 0);
  return writer.steps;
}

type Operation<Op extends Instruction["op"]> = Extract<Instruction, { op: Op }>;

/** How a fork joins its branches. */
const STRATEGIES: Readonly<Record<JoinStrategy, string>> = {
  all: "all must succeed",
  race: "the first to end decides",
  any: "the first to succeed decides",
  settled: "all end, well or not",
};

class OutlineWriter {
  readonly steps: OutlineStep[] = [];
  /** Graphs that have been shown, and where. */
  readonly #shown: Map<Program, string>;

  constructor(shown: Map<Program, string>) {
    this.#shown = shown;
  }

  writeProgram(program: Program, depth: number): void {
    this.#writeRegion(program, { startPc: 0, endPc: program.instructions.length }, depth);
  }

  #writeRegion(program: Program, { startPc, endPc }: Region, depth: number): void {
    let pc = startPc;
    while (pc < endPc) pc = this.#writeStep(program, pc, depth);
  }

  /** Writes the block at a position; returns the position after it. */
  #writeStep(program: Program, pc: number, depth: number): number {
    const instruction = program.instructions[pc];
    switch (instruction?.op) {
      case "task":
        return this.#writeNode(program, pc, instruction.node, depth);
      case "if":
        return this.#writeIf(program, pc, instruction, depth);
      case "loop":
        this.#block(depth, "loop", { id: instruction.id, fact: describeLoop(instruction) });
        // The last instruction of the body jumps back.
        this.#writeRegion(program, { startPc: pc + 1, endPc: instruction.exitPc - 1 }, depth + 1);
        return instruction.exitPc;
      case "fork":
        return this.#writeFork(program, instruction, depth);
      case "map":
        this.#block(depth, "map", {
          id: instruction.id,
          fact: describeMap(instruction),
          strategy: instruction.strategy,
        });
        this.#writeRegion(program, { startPc: instruction.startPc, endPc: instruction.joinPc - 1 }, depth + 1);
        return instruction.joinPc;
      case "jump":
        // A jump skips a handler here; jumps of an if or a loop are handled with their blocks.
        this.#block(depth, "catch", { id: "", fact: "when something above fails" });
        this.#writeRegion(program, { startPc: pc + 1, endPc: instruction.to }, depth + 1);
        return instruction.to;
      case "branch-end":
      case "end":
      case undefined:
        return pc + 1;
    }
  }

  #writeIf(program: Program, pc: number, { id, elsePc }: Operation<"if">, depth: number): number {
    const last = program.instructions[elsePc - 1];
    // A jump forward at the end of the first part skips the other one.
    const endPc = last?.op === "jump" && last.to >= elsePc ? last.to : undefined;
    this.#block(depth, "if", { id });
    this.#writeRegion(program, { startPc: pc + 1, endPc: endPc === undefined ? elsePc : elsePc - 1 }, depth + 1);
    if (endPc === undefined) return elsePc;
    this.#block(depth, "else", { id: "" });
    this.#writeRegion(program, { startPc: elsePc, endPc }, depth + 1);
    return endPc;
  }

  #writeFork(program: Program, { id, branches, strategy, joinPc }: Operation<"fork">, depth: number): number {
    this.#block(depth, "parallel", { id, fact: STRATEGIES[strategy], strategy });
    for (const [index, { name, startPc }] of branches.entries()) {
      const endPc = branches[index + 1]?.startPc ?? joinPc;
      this.#block(depth + 1, "branch", { id: name });
      this.#writeRegion(program, { startPc, endPc }, depth + 2);
    }
    return joinPc;
  }

  #writeNode(program: Program, pc: number, node: NodeDefinition, depth: number): number {
    const reference = node.subgraph?.ref;
    const code = typeof reference === "object" && isGraphCode(reference.code) ? reference.code : undefined;
    const earlier = code && this.#shown.get(code.program);
    const workflow = typeof reference === "string" ? `the workflow "${reference}"` : undefined;
    const place = earlier === undefined ? workflow : `as under ${earlier}`;
    const { id, type, name, model, join } = node;
    const facts = [...describeNode(node), ...(place === undefined ? [] : [place])];
    const label = name === undefined || name === id ? {} : { name };
    const strategy = type === "parallel" ? (join?.strategy ?? "all") : undefined;
    this.steps.push({ id, type, ...label, isBlock: false, depth, ...given({ model, strategy }), facts });
    if (code !== undefined && earlier === undefined) {
      this.#shown.set(code.program, `"${node.id}"`);
      this.writeProgram(code.program, depth + 1);
    }
    let next = pc + 1;
    for (const _ of node.parts ?? []) next = this.#writeStep(program, next, depth + 1);
    return next;
  }

  #block(
    depth: number,
    type: string,
    { id, fact, strategy }: { readonly id: string; readonly fact?: string; readonly strategy?: JoinStrategy },
  ): void {
    const facts = fact === undefined ? [] : [fact];
    this.steps.push({ id, type, isBlock: true, depth, ...given({ strategy }), facts });
  }
}

function describeNode(node: NodeDefinition): readonly string[] {
  const { type, remark, model, timeoutMs, targets = [], join } = node;
  const attempts = maxAttemptsOf(node.retry);
  return [
    ...(remark === undefined ? [] : [remark]),
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(timeoutMs === undefined ? [] : [`at most ${formatMs(timeoutMs)}`]),
    ...(type === "parallel" ? [STRATEGIES[join?.strategy ?? "all"]] : []),
    ...(targets.length > 0 ? [`to ${[...new Set(targets)].join(type === "parallel" ? " and " : " or ")}`] : []),
  ];
}

function describeLoop({ until, maxIterations, failsAtLimit }: Operation<"loop">): string {
  const bound = `${maxIterations} times${failsAtLimit ? ", then it fails" : ""}`;
  return until === undefined ? bound : `until its condition holds, at most ${bound}`;
}

function describeMap({ concurrency, strategy }: Operation<"map">): string {
  const places = Number.isFinite(concurrency) ? `${concurrency} at a time, ` : "";
  return `for each item of a list, ${places}${STRATEGIES[strategy]}`;
}
