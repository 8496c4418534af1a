import type { NodeDefinition } from "../model/node-definition.ts";
import type { Instruction, Program } from "./program.ts";

/**
 * A program as the text of a Mermaid flowchart (mermaid.js.org): nodes are boxes, questions to people slanted boxes,
 * decisions diamonds, loops hexagons, forks and joins bars. Dotted arrows are paths of some results only, or of failures.
 */
export function toMermaid(program: Program): string {
  return new MermaidWriter(program).write();
}

/** The name of the end of the diagram. */
const FINISH = "finish";

class MermaidWriter {
  readonly #program: Program;
  /** For each position, where the end of the branch around it leads. */
  readonly #joins: readonly string[];
  readonly #lines: string[] = ["flowchart TD", "  start([start])"];
  readonly #edges: string[] = [];
  readonly #boxes = new Set<number>();
  readonly #left = new Set<number>();

  constructor(program: Program) {
    this.#program = program;
    this.#joins = findJoins(program.instructions);
  }

  write(): string {
    this.#link("start", "-->", 0);
    for (const { startPc, handlerPc } of this.#program.catches) {
      this.#link(this.#enter(startPc), "-. failure .->", handlerPc);
    }
    return `${[...this.#lines, `  ${FINISH}([end])`, ...new Set(this.#edges)].join("\n")}\n`;
  }

  /** Draws an arrow to a position. */
  #link(from: string, arrow: string, to: number): void {
    this.#edges.push(`  ${from} ${arrow} ${this.#enter(to)}`);
  }

  /** The name of the element at a position, drawn with everything after it. */
  #enter(pc: number): string {
    const instruction = this.#program.instructions[pc];
    if (instruction === undefined || instruction.op === "end") return FINISH;
    if (instruction.op === "branch-end") return this.#joins[pc] ?? FINISH;
    if (instruction.op === "jump") return this.#enter(instruction.to);
    const name = this.#drawBox(pc, instruction);
    if (!this.#left.has(pc)) {
      this.#left.add(pc);
      this.#drawWaysOut(pc, name, instruction);
    }
    return name;
  }

  #drawBox(pc: number, instruction: NamedInstruction): string {
    const name = `n${pc}`;
    if (this.#boxes.has(pc)) return name;
    this.#boxes.add(pc);
    const label = escapeLabel("node" in instruction ? (instruction.node.name ?? instruction.id) : instruction.id);
    this.#lines.push(`  ${name}${frame(instruction, label)}`);
    if (splits(instruction)) this.#lines.push(`  ${joinOf(pc)}(( ))`);
    return name;
  }

  #drawWaysOut(pc: number, name: string, instruction: NamedInstruction): void {
    switch (instruction.op) {
      case "task":
        return this.#leaveNode(pc, name, instruction.node);
      case "if":
        this.#link(name, "-- yes -->", pc + 1);
        this.#link(name, "-- no -->", instruction.elsePc);
        return;
      case "loop":
        this.#link(name, "-- again -->", pc + 1);
        this.#link(name, "-- done -->", instruction.exitPc);
        return;
      case "fork":
        for (const branch of instruction.branches) {
          this.#link(name, `-- "${escapeLabel(branch.name)}" -->`, branch.startPc);
        }
        this.#link(joinOf(pc), "-->", instruction.joinPc);
        return;
      case "map":
        this.#link(name, "-- each -->", instruction.startPc);
        this.#link(joinOf(pc), "-->", instruction.joinPc);
    }
  }

  #leaveNode(pc: number, name: string, node: NodeDefinition): void {
    const targets = (node.targets ?? []).flatMap((target) => this.#program.pcOfNode.get(target) ?? []);
    if (splitsToTargets(node)) return this.#drawTargetBranches(pc, name, targets);
    for (const target of targets) this.#link(name, "-.->", target);
    if (!node.leavesByRoute) this.#link(name, "-->", pc + 1);
  }

  /** Each target is a branch of one node, and the run continues after the last of them. */
  #drawTargetBranches(pc: number, name: string, targets: readonly number[]): void {
    for (const target of targets) {
      const instruction = this.#program.instructions[target];
      if (instruction?.op !== "task") continue;
      const branch = this.#drawBox(target, instruction);
      this.#edges.push(`  ${name} -- "${escapeLabel(instruction.id)}" --> ${branch}`, `  ${branch} --> ${joinOf(pc)}`);
    }
    this.#link(joinOf(pc), "-->", Math.max(...targets) + 1);
  }
}

type NamedInstruction = Extract<Instruction, { id: string }>;

function findJoins(instructions: readonly Instruction[]): readonly string[] {
  const joins = instructions.map(() => FINISH);
  // Inner branches come later and overwrite outer ones.
  for (const [pc, instruction] of instructions.entries()) {
    if (instruction.op === "fork" || instruction.op === "map") joins.fill(joinOf(pc), pc + 1, instruction.joinPc);
  }
  return joins;
}

/** The name of the bar that joins the branches of the fork at a position. */
function joinOf(pc: number): string {
  return `j${pc}`;
}

function splits(instruction: NamedInstruction): boolean {
  if (instruction.op === "task") return splitsToTargets(instruction.node);
  return instruction.op === "fork" || instruction.op === "map";
}

/** Whether a node always goes to all of its targets; a decision with a `join` goes to some of them. */
function splitsToTargets({ type, join, targets = [] }: NodeDefinition): boolean {
  return type === "parallel" && join !== undefined && targets.length > 0;
}

function frame(instruction: NamedInstruction, label: string): string {
  switch (instruction.op) {
    case "task": {
      const { node } = instruction;
      if (node.type === "wait" || node.type === "ask_user") return `[/"${label}"/]`;
      if (node.type === "sleep") return `("${label}")`;
      if (splitsToTargets(node)) return `[["${label}"]]`;
      return node.type === "decision" ? `{"${label}"}` : `["${label}"]`;
    }
    case "if":
      return `{"${label}"}`;
    case "loop":
      return `{{"${label}"}}`;
    case "fork":
    case "map":
      return `[["${label}"]]`;
  }
}

/** Escapes a text so that it cannot end a Mermaid label or start something else in it. */
function escapeLabel(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").replace(/[#;"`<>&]/g, (character) => `#${character.codePointAt(0)};`);
}
