import type { GraphProblem } from "../errors/graph-problems.ts";
import type { StateSchema } from "../state/annotation.ts";
import type { Program } from "./program.ts";

/** Finds the nodes that write fields which the state does not declare. A graph without a schema accepts any field. */
export function findMissingFields(program: Program, schema: StateSchema | undefined): readonly GraphProblem[] {
  if (schema === undefined) return [];
  return program.instructions.flatMap((instruction) => {
    if (instruction.op !== "task" || instruction.node.stateFields === undefined) return [];
    const { names, from } = instruction.node.stateFields;
    const missing = names.filter((name) => !Object.hasOwn(schema.fields ?? {}, name));
    if (missing.length === 0) return [];
    const text = `"${instruction.id}" needs fields that the state does not have: ${missing.join(", ")}; write defineState({ ...${from}, … })`;
    return [{ text, origin: undefined }];
  });
}
