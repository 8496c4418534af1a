import type { CaseResult } from "./run-measurement.ts";
import type { Runtime } from "./runtimes.ts";
import type { Scenario } from "./scenarios.ts";

/** What will be measured on what, and what will not. */
export interface Plan {
  /** An empty result for everything that can be measured, in the order of the table. */
  readonly results: ReadonlyMap<CaseResult, Runtime>;
  readonly skipped: readonly string[];
}

/** Decides which cases run on which runtimes. */
export function planResults(scenarios: readonly Scenario[], runtimes: readonly Runtime[]): Plan {
  const results = new Map<CaseResult, Runtime>();
  const skipped = new Set<string>();
  for (const { id, runtimes: needed, cases } of scenarios) {
    for (const runtime of runtimes) {
      if (needed === "current" && !runtime.isCurrent) {
        skipped.add(`${runtime.name} is too old for all scenarios but those that run everywhere.`);
        continue;
      }
      for (const benchCase of cases) {
        if (benchCase.engine === "mastra" && !runtime.isCurrent) {
          skipped.add(`Mastra needs Node 22 or later, and is not measured on ${runtime.name}.`);
          continue;
        }
        results.set(
          { scenarioId: id, benchCase, runtime: runtime.name, measurements: [], problem: undefined },
          runtime,
        );
      }
    }
  }
  return { results, skipped: [...skipped] };
}
