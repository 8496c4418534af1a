import type { Instruction, Program } from "./program.ts";

/**
 * A program as the text of a Mermaid flowchart (mermaid.js.org): nodes as boxes, questions to people as slanted boxes,
 * decisions as diamonds, loops as hexagons, forks and joins as bars; dotted arrows are ways that only some results or
 * failures take.
 */
export function toMermaid(program: Program): string {
  return new MermaidWriter(program).write();
}

/** What stands at the end of the picture. */
const FINISH = "finish";

class MermaidWriter {
  readonly #program: Program;
  readonly #lines: string[] = ["flowchart TD", "  start([start])"];
  readonly #edges: string[] = [];
  readonly #drawn = new Set<number>();

  constructor(program: Program) {
    this.#program = program;
  }

  write(): string {
    this.#edges.push(`  start --> ${this.#enter(0, FINISH)}`);
    for (const { startPc, handlerPc } of this.#program.catches) {
      this.#edges.push(`  ${this.#enter(startPc, FINISH)} -. failure .-> ${this.#enter(handlerPc, FINISH)}`);
    }
    return `${[...this.#lines, `  ${FINISH}([end])`, ...new Set(this.#edges)].join("\n")}\n`;
  }

  /** The name of what stands at a position, drawn with everything behind it; `join` is where a branch's end leads. */
  #enter(pc: number, join: string): string {
    const instruction = this.#program.instructions[pc];
    if (instruction === undefined || instruction.op === "end") return FINISH;
    if (instruction.op === "branch-end") return join;
    if (instruction.op === "jump") return this.#enter(instruction.to, join);
    const name = `n${pc}`;
    if (!this.#drawn.has(pc)) {
      this.#drawn.add(pc);
      this.#draw(pc, name, { instruction, join });
    }
    return name;
  }

  #draw(
    pc: number,
    name: string,
    { instruction, join }: { readonly instruction: Extract<Instruction, { id: string }>; readonly join: string },
  ): void {
    const label = escapeLabel("node" in instruction ? (instruction.node.name ?? instruction.id) : instruction.id);
    switch (instruction.op) {
      case "task": {
        const isQuestion = instruction.node.type === "wait" || instruction.node.type === "ask_user";
        const isChoice = instruction.node.type === "decision";
        this.#lines.push(`  ${name}${isQuestion ? `[/"${label}"/]` : isChoice ? `{"${label}"}` : `["${label}"]`}`);
        for (const target of instruction.node.targets ?? []) this.#drawRoute(name, target, join);
        if (!isChoice) this.#edges.push(`  ${name} --> ${this.#enter(pc + 1, join)}`);
        return;
      }
      case "if":
        this.#lines.push(`  ${name}{"${label}"}`);
        this.#edges.push(`  ${name} -- yes --> ${this.#enter(pc + 1, join)}`);
        this.#edges.push(`  ${name} -- no --> ${this.#enter(instruction.elsePc, join)}`);
        return;
      case "loop":
        this.#lines.push(`  ${name}{{"${label}"}}`);
        this.#edges.push(`  ${name} -- again --> ${this.#enter(pc + 1, join)}`);
        this.#edges.push(`  ${name} -- done --> ${this.#enter(instruction.exitPc, join)}`);
        return;
      case "fork":
      case "map": {
        const joined = `j${pc}`;
        this.#lines.push(`  ${name}[["${label}"]]`, `  ${joined}(( ))`);
        if (instruction.op === "map")
          this.#edges.push(`  ${name} -- each --> ${this.#enter(instruction.startPc, joined)}`);
        else {
          for (const branch of instruction.branches) {
            this.#edges.push(`  ${name} -- "${escapeLabel(branch.name)}" --> ${this.#enter(branch.startPc, joined)}`);
          }
        }
        this.#edges.push(`  ${joined} --> ${this.#enter(instruction.joinPc, join)}`);
      }
    }
  }

  #drawRoute(name: string, target: string, join: string): void {
    const pc = this.#program.pcOfNode.get(target);
    if (pc !== undefined) this.#edges.push(`  ${name} -.-> ${this.#enter(pc, join)}`);
  }
}

/** Text that cannot end a Mermaid label or begin something else in it. */
function escapeLabel(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").replace(/[#;"`<>&]/g, (character) => `#${character.codePointAt(0)};`);
}
