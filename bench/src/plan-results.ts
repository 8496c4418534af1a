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
    // Bundles are made by Bun, whichever runtimes are asked for.
    const suitable = needed === "any" ? runtimes.slice(0, 1) : runtimes;
    for (const runtime of suitable) {
      if (needed === "current" && !runtime.isCurrent) {
        skipped.add(`${runtime.name} is too old for all scenarios but those that run everywhere.`);
        continue;
      }
      for (const benchCase of cases) {
        if (benchCase.engine === "mastra" && !runtime.isCurrent) {
          skipped.add(`Mastra needs Node 22 or later, and is not measured on ${runtime.name}.`);
          continue;
        }
        const name = needed === "any" ? "–" : runtime.name;
        results.set({ scenarioId: id, benchCase, runtime: name, measurements: [], problem: undefined }, runtime);
      }
    }
  }
  return { results, skipped: [...skipped] };
}
