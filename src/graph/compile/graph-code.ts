import type { StateRules } from "../state/state-rules.ts";
import type { Program } from "./program.ts";

/** The model of nodes that name none, and the agent that it is one of. */
export interface DefaultModel {
  readonly defaultModel?: string;
  readonly defaultModelAgent?: string;
}

/** A compiled graph, as far as deciding and reading its journals needs it. */
export interface GraphCode {
  readonly program: Program;
  readonly rules: StateRules;
  /** What holds for the nodes of the graph where another graph runs it. */
  readonly model?: DefaultModel;
}

/** Whether something is the code of a compiled graph: everything else that runs as a step has none. */
export function isGraphCode(value: unknown): value is GraphCode {
  return typeof value === "object" && value !== null && "program" in value && "rules" in value;
}
