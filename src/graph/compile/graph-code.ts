import type { StateRules } from "../state/state-rules.ts";
import type { Program } from "./program.ts";

/** The model for nodes that name none, and the agent that the model belongs to. */
export interface DefaultModel {
  readonly defaultModel?: string;
  readonly defaultModelAgent?: string;
}

/** The part of a compiled graph that is needed to execute it and to read its journals. */
export interface GraphCode {
  readonly program: Program;
  readonly rules: StateRules;
  /** The default model of the graph's nodes when another graph runs it. */
  readonly model?: DefaultModel;
}

/** Whether a value is the code of a compiled graph. */
export function isGraphCode(value: unknown): value is GraphCode {
  return typeof value === "object" && value !== null && "program" in value && "rules" in value;
}
