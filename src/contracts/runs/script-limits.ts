/** Limits of a script. */
export interface ScriptLimits {
  /** How many agents may work at the same time. @default min(16, max(2, cores - 2)) */
  readonly maxConcurrency?: number;
  /** How many agents may be called in all. @default 1_000 */
  readonly maxAgents?: number;
}

/** The documented limits of workflow scripts on a machine with so many cores. */
export function scriptLimitsFor(coreCount: number): Required<ScriptLimits> {
  return { maxConcurrency: Math.min(16, Math.max(2, coreCount - 2)), maxAgents: 1_000 };
}
