import type { Program } from "./program.ts";
import type { StateRules } from "./state-rules.ts";

/** A compiled graph, as far as deciding and reading its journals needs it. */
export interface GraphCode {
  readonly program: Program;
  readonly rules: StateRules;
}

/** Whether something is the code of a compiled graph: everything else that runs as a step has none. */
export function isGraphCode(value: unknown): value is GraphCode {
  return typeof value === "object" && value !== null && "program" in value && "rules" in value;
}
