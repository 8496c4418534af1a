import type { StorageFacts } from "./engine.ts";
import { METRICS, type MetricName } from "./metrics.ts";
import type { CaseResult } from "./run-measurement.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** What was measured of one thing. */
export interface MetricSummary extends Spread {
  /** How many times what Atomic needs in the same scenario on the same runtime, with the like durability. */
  readonly timesAtomic?: number;
}

/** A line of the table. */
export interface SummaryRow {
  readonly scenarioId: string;
  readonly caseId: string;
  readonly label: string;
  readonly runtime: string;
  readonly repetitions: number;
  readonly metrics: { readonly [Name in MetricName]?: MetricSummary };
  readonly storage?: StorageFacts;
  /** Why something could not be measured. */
  readonly problem?: string;
}

/** Puts results side by side. Only results of the same scenario on the same runtime are compared. */
export function summarize(results: readonly CaseResult[]): readonly SummaryRow[] {
  return results.map((result) => {
    const { scenarioId, benchCase, runtime, measurements, problem } = result;
    const atomic = findAtomic(result, results);
    const storage = measurements[0]?.storage;
    return {
      scenarioId,
      caseId: benchCase.id,
      label: benchCase.label,
      runtime,
      repetitions: measurements.length,
      metrics: summarizeMetrics(result, atomic),
      ...(storage && { storage }),
      ...(problem !== undefined && { problem }),
    };
  });
}

function summarizeMetrics(result: CaseResult, atomic: CaseResult | undefined): SummaryRow["metrics"] {
  // The cast is true: the keys of METRICS are its type's.
  const names = Object.keys(METRICS) as MetricName[];
  const entries = names.flatMap((name) => {
    const spread = spreadOfMetric(result, name);
    const own = atomic && spreadOfMetric(atomic, name);
    if (spread === undefined) return [];
    return [[name, { ...spread, ...(own && atomic !== result && { timesAtomic: spread.median / own.median }) }]];
  });
  return Object.fromEntries(entries);
}

function spreadOfMetric({ measurements }: CaseResult, name: MetricName): Spread | undefined {
  return spreadOf(measurements.flatMap(({ values }) => values[name] ?? []));
}

/** Atomic with the like durability: that which sets the database as the other engine does. */
function findAtomic(result: CaseResult, results: readonly CaseResult[]): CaseResult | undefined {
  return results.find(
    (item) =>
      item.scenarioId === result.scenarioId &&
      item.runtime === result.runtime &&
      item.benchCase.engine === "atomic" &&
      synchronousOf(item) === synchronousOf(result),
  );
}

function synchronousOf({ measurements }: CaseResult): string | undefined {
  return measurements[0]?.storage?.synchronous;
}
