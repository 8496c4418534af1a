import { availableParallelism } from "node:os";
import { type ScriptLimits, scriptLimitsFor } from "../../contracts/index.ts";

export type { ScriptLimits };

/** The documented limits of workflow scripts. */
export function defaultScriptLimits(coreCount: number = availableParallelism()): Required<ScriptLimits> {
  return scriptLimitsFor(coreCount);
}
